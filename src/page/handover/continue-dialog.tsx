import { useEffect, useState } from "preact/hooks";
import type { CliType, SessionId } from "../../protocol/ids.ts";
import type { SessionPack } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { newCommandId } from "../../ui/new-command-id.ts";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";

/** Another agent takes over: which one, its context pack, and a note for it. */
export function ContinueDialog({ shell, sessionId }: { shell: Shell; sessionId: SessionId }) {
  const row = rowOf(shell.server.value, sessionId);
  const agents = shell.server.value.agents.filter(({ availability }) => availability !== "needs-install");
  const first = agents.find(({ id }) => id !== row?.cliType) ?? agents[0];
  const [chosen, setChosen] = useState<CliType | undefined>(first?.id);
  const [note, setNote] = useState("");
  const [pack, setPack] = useState<SessionPack | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isSending, setSending] = useState(false);
  useEffect(() => {
    if (chosen === undefined) return;
    let isOver = false;
    const asked = { type: "session:pack", sessionId, cliType: chosen } as const;
    void shell
      .attempt(asked, (_, why) => setTrouble(why))
      .then((answer) => {
        if (!isOver && answer?.type === "session:pack") setPack(answer);
      });
    return () => {
      isOver = true;
    };
  }, [chosen]);
  if (row === undefined || chosen === undefined) return null;
  const name = agents.find(({ id }) => id === chosen)?.name ?? chosen;
  const go = async () => {
    if (isSending) return;
    setSending(true);
    setTrouble(null);
    const content = note.trim();
    const answer = await shell.attempt(
      {
        type: "session:branch",
        sessionId,
        cliType: chosen,
        ...(content !== "" && { content }),
        commandId: newCommandId(),
      },
      (_, why) => setTrouble(why),
    );
    setSending(false);
    if (answer?.type !== "session:created") return;
    shell.closeDialog();
    shell.open(answer.sessionId, { focus: true });
  };
  return (
    <Dialog title={`Continue “${row.title}” with…`} onClose={() => shell.closeDialog()}>
      <form
        aria-busy={isSending}
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <div class="dialog-body continue-with">
          <label>
            <span>Agent</span>
            <select
              class="native-select"
              data-first-focus=""
              value={chosen}
              onChange={({ currentTarget }) => setChosen(agents.find(({ id }) => id === currentTarget.value)?.id)}
            >
              {agents.map(({ id, name: words }) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <p>
            {name} works in the same directory, in a new session. This one stays as it is. {packWords(pack)}
          </p>
          {pack !== null && pack.content !== "" && (
            <details>
              <summary>
                <Icon name="chevron" class="icon-sm" />
                What {name} is told
              </summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it needs the keyboard */}
              <pre tabIndex={0}>{pack.content}</pre>
            </details>
          )}
          <label>
            <span>First message (optional)</span>
            <textarea rows={3} value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
          </label>
          {trouble !== null && <TroubleNotice trouble={trouble} />}
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={isSending ? "true" : undefined}>
            {isSending ? "Handing over…" : `Continue with ${name}`}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function packWords(pack: SessionPack | null): string {
  if (pack === null) return "";
  const { chars, turns, omitted } = pack.context;
  if (turns === 0) return "Nothing was said so far.";
  const left = omitted === 0 ? "" : `, without ${omitted.toLocaleString("en")} older entries`;
  return `With the first message it gets ${turns === 1 ? "1 turn" : `${turns} turns`} (${chars.toLocaleString("en")} characters)${left}.`;
}
