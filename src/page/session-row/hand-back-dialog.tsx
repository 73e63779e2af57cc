import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { newCommandId } from "../../ui/new-command-id.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";

type Step =
  | { readonly is: "asking" }
  | { readonly is: "waiting"; readonly since: number }
  | { readonly is: "done"; readonly command: string }
  | { readonly is: "refused"; readonly trouble: Trouble };

const SECOND_MS = 1_000;
/** Before that, a counter would only flicker. */
const COUNTED_AFTER_S = 2;

/** Hands the conversation over to the user's own terminal, and shows the command that continues it there. */
export function HandBackDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const session = rowOf(shell.server.value, sessionId);
  const isWorking = session !== undefined && isTurnActive(session.turn);
  const agent = (session && agentOf(shell.server.value, session.cliType)?.name) ?? "The agent";
  const [step, setStep] = useState<Step>(isWorking ? { is: "asking" } : { is: "waiting", since: Date.now() });
  const isStarted = useRef(false);
  const start = async () => {
    if (isStarted.current) return;
    isStarted.current = true;
    setStep({ is: "waiting", since: Date.now() });
    const told: { trouble: Trouble | null } = { trouble: null };
    const command = { type: "session:handback", sessionId, stopTurn: true, commandId: newCommandId() } as const;
    const answer = await shell.attempt(command, (_, why) => {
      told.trouble = why;
    });
    if (answer?.type === "session:handed-back") setStep({ is: "done", command: answer.command });
    else if (told.trouble !== null) setStep({ is: "refused", trouble: told.trouble });
  };
  useEffect(() => {
    if (!isWorking) void start();
  }, []);
  const close = () => shell.closeDialog();
  return (
    <Dialog title={`Continue “${session?.title ?? "session"}” in a terminal`} onClose={close}>
      <div class="dialog-body" aria-live="polite">
        {step.is === "asking" && <p>{agent} is still working. Its turn will be stopped; what it has said is kept.</p>}
        {step.is === "waiting" && <Waiting agent={agent} since={step.since} />}
        {step.is === "refused" && <TroubleNotice trouble={step.trouble} />}
        {step.is === "done" && (
          <>
            <p>
              Run this in your terminal. A message sent here later brings the conversation back, with what was said.
            </p>
            <pre class="hand-back-command">
              <code>{step.command}</code>
            </pre>
          </>
        )}
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        {step.is === "done" && <CopyButton text={() => step.command} />}
        {step.is === "asking" ? (
          <>
            <button type="button" class="button ghost" onClick={close}>
              Cancel
            </button>
            <button type="button" class="button primary" data-first-focus="" onClick={() => void start()}>
              Stop and continue there
            </button>
          </>
        ) : (
          <button type="button" class="button" data-first-focus="" onClick={close}>
            Close
          </button>
        )}
      </footer>
    </Dialog>
  );
}

/** Codex holds a conversation up to 60 s after it was closed. */
function Waiting({ agent, since }: { agent: string; since: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / SECOND_MS)), SECOND_MS);
    return () => clearInterval(timer);
  }, [since]);
  return (
    <p>
      {agent} is closing the conversation. This can take a minute while it works on another one.
      <span class="faint" aria-hidden="true">
        {seconds >= COUNTED_AFTER_S && ` ${seconds} s`}
      </span>
    </p>
  );
}
