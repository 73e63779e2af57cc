import { isQuestion } from "../../protocol/pending-request.ts";
import { QuestionCard, VisitNote } from "../../ui/questions/question-card.tsx";
import { type PortletModel, usePiece } from "../portlet-model.ts";

/** What the agent asks of the user: the oldest question, and the pages it still waits for. */
export function QuestionDock({ model }: { model: PortletModel }) {
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
