import { useEffect, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { Dialog } from "../controls/dialog.tsx";
import { askServer, followWithTicket } from "../own-server.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf } from "../state/shell-state.ts";
import { CopyButton } from "./copy-button.tsx";
import { filterTrace, type TraceKind } from "./filter-trace.ts";
import styles from "./log-dialog.css" with { type: "text" };
import { LogFilter } from "./log-filter.tsx";
import { parseTrace, type TraceLine } from "./parse-trace.ts";
import { TraceList } from "./trace-list.tsx";

export interface LogDialogProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
}

type Reading =
  | { readonly phase: "reading" }
  | { readonly phase: "read"; readonly lines: readonly TraceLine[] }
  | { readonly phase: "failed"; readonly words: string };

/** What was said between us and the session's agent: the answer to "why did it stop". */
export function LogDialog({ shell, sessionId }: LogDialogProps) {
  const [reading, refresh] = useTrace(sessionId);
  const [kind, setKind] = useState<TraceKind>("all");
  const [text, setText] = useState("");
  adoptStyles(styles);
  const session = shell.server.value.sessions.get(sessionId);
  const agentName = session && agentOf(shell.server.value, session.cliType)?.name;
  const lines = reading.phase === "read" ? filterTrace(reading.lines, kind, text) : [];
  return (
    <Dialog title={`Log of ${session?.title ?? "session"}`} wide onClose={() => shell.closeDialog()}>
      <LogFilter kind={kind} text={text} onKind={setKind} onText={setText} />
      {reading.phase === "failed" && <p class="log-empty">{reading.words}</p>}
      {reading.phase === "read" && lines.length === 0 && (
        <p class="log-empty">{emptyWords(reading.lines.length, agentName ?? "The agent")}</p>
      )}
      {lines.length > 0 && <TraceList lines={lines} />}
      <footer class="dialog-foot">
        <span class="faint wide-only">
          Secrets are taken out. Sessions that share the agent's process are in it too.
        </span>
        <span class="spacer" />
        <button type="button" class="icon-button" aria-label="Refresh" title="Refresh" onClick={refresh}>
          <Icon name="refresh" />
        </button>
        <CopyButton text={() => lines.map((line) => JSON.stringify(line)).join("\n")} />
        <a
          class="button"
          href={addressOf(sessionId)}
          download={`${fileNameOf(sessionId)}.jsonl`}
          onClick={(event) => followWithTicket(event, (words) => shell.tell(words))}
        >
          Download
        </a>
      </footer>
    </Dialog>
  );
}

function emptyWords(all: number, agentName: string): string {
  return all > 0
    ? "No line matches."
    : `${agentName} has said nothing since the server started. The log fills when it is used.`;
}

function addressOf(sessionId: SessionId): string {
  return `/api/trace?sessionId=${encodeURIComponent(sessionId)}`;
}

function fileNameOf(sessionId: SessionId): string {
  return sessionId.replaceAll(/[^a-z0-9-]+/gi, "-");
}

function useTrace(sessionId: SessionId): [Reading, () => void] {
  const [reading, setReading] = useState<Reading>({ phase: "reading" });
  const refresh = () => {
    fetchTrace(sessionId).then(
      (lines) => setReading({ phase: "read", lines }),
      (error: unknown) => setReading({ phase: "failed", words: `The log could not be read: ${reasonOf(error)}.` }),
    );
  };
  useEffect(refresh, [sessionId]);
  return [reading, refresh];
}

async function fetchTrace(sessionId: SessionId): Promise<readonly TraceLine[]> {
  const answer = await askServer(addressOf(sessionId));
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return parseTrace(await answer.text());
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
