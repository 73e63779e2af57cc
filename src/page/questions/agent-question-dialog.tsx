import { useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import type { AgentQuestion, QuestionAction } from "../../protocol/question.ts";
import { useSettled } from "../../ui/permissions/settled-request.ts";
import type { Refused } from "../../ui/questions/answer-draft.ts";
import { openPage, PageAddress } from "../../ui/questions/question-card.tsx";
import { QuestionForm } from "../../ui/questions/question-form.tsx";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";

/** A question outside any session. */
export function AgentQuestionDialog({ shell, question }: { shell: Shell; question: AgentQuestion }) {
  const [refused, setRefused] = useState<Refused | null>(null);
  const { elicitationId, agentName, message, title, url } = question;
  const answer = (action: QuestionAction, content?: Record<string, Json>) => {
    const response = { type: "elicitation:respond", elicitationId, action } as const;
    void shell.attempt(content === undefined ? response : { ...response, content }, (words, { fields = {} }) =>
      setRefused({ message: words, fields }),
    );
  };
  const asks = url === undefined ? `${agentName} asks` : `${agentName} asks you to open a page`;
  const { element, isReady, guard } = useSettled<HTMLDivElement>(elicitationId, [message, url, question.fields]);
  return (
    <Dialog title={asks} onClose={() => answer("cancel")} keepsEscape={url === undefined}>
      <div class="dialog-parts" ref={element} {...guard}>
        <div class="dialog-body">
          {title !== undefined && <h3>{title}</h3>}
          {message !== "" && <p class="question-message">{message}</p>}
          {url === undefined ? (
            <QuestionForm
              question={question}
              refused={refused}
              isBusy={false}
              isReady={isReady}
              onAnswer={(content) => answer("accept", content)}
              onDecline={() => answer("decline")}
              onDismiss={() => answer("cancel")}
            />
          ) : (
            <>
              <PageAddress url={url} />
              {refused && <p role="alert">{refused.message}</p>}
            </>
          )}
        </div>
        {url !== undefined && (
          <footer class="dialog-foot">
            <span class="spacer" />
            <button type="button" class="button ghost" aria-disabled={!isReady} onClick={() => answer("decline")}>
              Decline
            </button>
            <button
              type="button"
              class="button primary"
              data-first-focus
              aria-disabled={!isReady}
              onClick={() => {
                openPage(url);
                answer("accept");
              }}
            >
              Open page
            </button>
          </footer>
        )}
      </div>
    </Dialog>
  );
}
