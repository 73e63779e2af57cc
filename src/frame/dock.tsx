import { isPermission, isQuestion } from "../protocol/pending-request.ts";
import { hasKeyboard } from "../ui/controls/keep-focus.ts";
import { PermissionCard } from "../ui/permissions/permission-card.tsx";
import { QuestionCard, VisitNote } from "../ui/questions/question-card.tsx";
import { AgentNotice } from "./agent-notice.tsx";
import { AwayCard } from "./away-card.tsx";
import { ChildrenStrip } from "./children-strip.tsx";
import { Composer } from "./composer/composer.tsx";
import { focusMessageField } from "./composer/message-field.tsx";
import { LimitCard } from "./limit-card.tsx";
import { PlanStrip } from "./plan-strip.tsx";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** Always in view below the transcript: the plan, problems, open requests, the composer. */
export function Dock({ model }: { model: PortletModel }) {
  const pending = usePiece(model, (state) => state.session.pending);
  const agentName = usePiece(model, (state) => state.agentName);
  const directory = usePiece(model, (state) => state.directory);
  const hasVisits = usePiece(model, (state) => state.session.visits.length > 0);
  const first = pending[0];
  const asks = first !== undefined && !isPermission(first);
  return (
    <div class="dock-scroll">
      <div class="column">
        <PlanStrip model={model} />
        <ChildrenStrip model={model} />
        <AgentNotice model={model} />
        <LimitCard model={model} />
        <AwayCard model={model} />
        {first && isPermission(first) && (
          <PermissionCard
            key={first.permissionId}
            requestKey={first.permissionId}
            permission={first}
            count={pending.length}
            agentName={agentName}
            directory={directory}
            now={model.now}
            respond={(optionId, reason) => model.store.respond(first.permissionId, optionId, reason)}
            leaveReason={(unsent) => {
              model.store.addText(unsent);
              if (hasKeyboard(document)) focusMessageField(document, model.store);
            }}
            addRules={(scope, rules) => model.store.addRules(scope, rules)}
            showRules={() => model.store.show("permissions")}
          />
        )}
        {(asks || hasVisits) && <QuestionDock model={model} />}
        <Composer model={model} />
      </div>
    </div>
  );
}

/** Open questions of the agent: the oldest one, and the pages it still waits for. */
function QuestionDock({ model }: { model: PortletModel }) {
  const pending = usePiece(model, (state) => state.session.pending);
  const visits = usePiece(model, (state) => state.session.visits);
  const agentName = usePiece(model, (state) => state.agentName);
  const refused = usePiece(model, (state) => state.refusedAnswer);
  const { store } = model;
  const [first] = pending;
  return (
    <>
      {visits.map((visit) => (
        <VisitNote
          key={visit.elicitationId}
          visit={visit}
          agentName={agentName}
          onDismiss={() => store.answerQuestion(visit.elicitationId, "cancel")}
        />
      ))}
      {first && isQuestion(first) && (
        <QuestionCard
          key={first.elicitationId}
          requestKey={first.elicitationId}
          question={first}
          count={pending.length}
          agentName={agentName}
          now={model.now}
          refused={refused?.elicitationId === first.elicitationId ? refused : null}
          respond={(action, content) => store.answerQuestion(first.elicitationId, action, content)}
        />
      )}
    </>
  );
}
