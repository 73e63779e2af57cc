import { isQuestion } from "../../protocol/pending-request.ts";
import { type PortletModel, usePiece } from "../portlet/portlet-model.ts";
import { adoptStyles } from "../styles/adopt-styles.ts";
import { QuestionCard, VisitNote } from "./question-card.tsx";
import styles from "./questions.css" with { type: "text" };

/** What the agent asks of the user: the oldest question, and the pages it still waits for. */
export function QuestionDock({ model }: { model: PortletModel }) {
  adoptStyles(styles);
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
