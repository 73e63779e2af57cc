import { Composer } from "../composer/composer.tsx";
import { PermissionCard } from "../permissions/permission-card.tsx";
import { AgentNotice } from "./agent-notice.tsx";
import { PlanStrip } from "./plan-strip.tsx";
import { type PortletModel, usePiece } from "./portlet-model.ts";

/** Always in view under the transcript: the plan, what stands in the way, what waits for the user, the composer. */
export function Dock({ model }: { model: PortletModel }) {
  const pending = usePiece(model, (state) => state.session.pending);
  const agentName = usePiece(model, (state) => state.agentName);
  const first = pending[0];
  return (
    <div class="dock-scroll">
      <div class="column">
        <PlanStrip model={model} />
        <AgentNotice model={model} />
        {first && (
          <PermissionCard
            key={first.permissionId}
            permission={first}
            count={pending.length}
            agentName={agentName}
            now={model.now}
            respond={(optionId) => model.store.respond(first.permissionId, optionId)}
            addRules={(scope, rules) => model.store.addRules(scope, rules)}
            showRules={() => model.store.show("permissions")}
          />
        )}
        <Composer model={model} />
      </div>
    </div>
  );
}
