import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionId } from "../../protocol/ids.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { askServer, followWithTicket } from "../own-server.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf } from "../state/shell-state.ts";
import {
  filterTrace,
  parseTrace,
  summaryOf,
  TRACE_KINDS,
  type TraceDirection,
  type TraceKind,
  type TraceLine,
  wholeText,
} from "./parse-trace.ts";

interface LogDialogProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
}

type Reading =
  | { readonly phase: "reading" }
  | { readonly phase: "read"; readonly lines: readonly TraceLine[] }
  | { readonly phase: "failed"; readonly words: string };

/** The ACP log: all messages between this app and the session's agent. */
export function LogDialog({ shell, sessionId }: LogDialogProps) {
  const [reading, refresh] = useTrace(sessionId);
  const [kind, setKind] = useState<TraceKind>("all");
  const [text, setText] = useState("");
  const session = shell.server.value.sessions.get(sessionId);
  const agentName = session && agentOf(shell.server.value, session.cliType)?.name;
  const lines = reading.phase === "read" ? filterTrace(reading.lines, kind, text) : [];
  return (
    <Dialog title={`ACP log: ${session?.title ?? "session"}`} wide onClose={() => shell.closeDialog()}>
      <LogFilter kind={kind} text={text} onKind={setKind} onText={setText} />
      {reading.phase === "failed" && <p class="log-empty">{reading.words}</p>}
      {reading.phase === "read" && lines.length === 0 && (
        <p class="log-empty">{emptyWords(reading.lines.length, agentName ?? "The agent")}</p>
      )}
      {lines.length > 0 && <TraceList lines={lines} />}
      <footer class="dialog-foot">
        <span class="faint wide-only">
          Secrets are removed. Includes other sessions that share the agent's process.
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
          onClick={(event) => followWithTicket(event, (words) => shell.notify(words))}
        >
          Download
        </a>
      </footer>
    </Dialog>
  );
}

function emptyWords(all: number, agentName: string): string {
  return all > 0
    ? "No matching lines."
    : `No messages since the server started. The log fills when ${agentName} is used.`;
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
      (error: unknown) => setReading({ phase: "failed", words: `Could not load the log: ${reasonOf(error)}.` }),
    );
  };
  useEffect(refresh, [sessionId]);
  return [reading, refresh];
}

async function fetchTrace(sessionId: SessionId): Promise<readonly TraceLine[]> {
  const answer = await askServer(addressOf(sessionId));
  if (!answer.ok) throw new Error(`the server returned ${answer.status}`);
  return parseTrace(await answer.text());
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const KIND_WORDS: Readonly<Record<TraceKind, string>> = { all: "All", out: "Sent", in: "Received", noise: "Output" };

interface LogFilterProps {
  readonly kind: TraceKind;
  readonly text: string;
  readonly onKind: (kind: TraceKind) => void;
  readonly onText: (text: string) => void;
}

/** Filters the log by direction and by text. */
function LogFilter({ kind, text, onKind, onText }: LogFilterProps) {
  return (
    <div class="log-filter">
      <div class="field">
        <Icon name="search" class="icon-sm" />
        <input
          type="search"
          aria-label="Filter log"
          placeholder="Filter"
          autocomplete="off"
          spellcheck={false}
          data-first-focus
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </div>
      <fieldset class="segmented" aria-label="Lines">
        {TRACE_KINDS.map((each) => (
          <button key={each} type="button" aria-pressed={kind === each} onClick={() => onKind(each)}>
            {KIND_WORDS[each]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

/** Shows the newest lines first and loads older ones page by page, so that a long log costs no more than a short one. */
const LINES_PER_PAGE = 200;
const PREVIEW_CHARS_MAX = 300;

const DIRECTION_WORDS: Readonly<Record<TraceDirection, string>> = {
  out: "sent",
  in: "received",
  stderr: "stderr",
  junk: "not JSON-RPC",
  note: "process",
};
const DIRECTION_SIGNS: Readonly<Record<TraceDirection, string>> = {
  out: "→",
  in: "←",
  stderr: "!",
  junk: "?",
  note: "•",
};

/** The lines, newest at the end and in view; a line expands to its whole message. */
function TraceList({ lines }: { lines: readonly TraceLine[] }) {
  const [count, setCount] = useState(LINES_PER_PAGE);
  const list = useRef<HTMLElement>(null);
  const shown = lines.slice(-count);
  const earlier = lines.length - shown.length;
  const last = lines.at(-1);
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="log-lines" ref={list} tabIndex={0} aria-label="Log lines">
      {earlier > 0 && (
        <button type="button" class="button small ghost" onClick={() => setCount(count + LINES_PER_PAGE)}>
          {`Show ${Math.min(earlier, LINES_PER_PAGE)} of ${earlier} earlier lines`}
        </button>
      )}
      <ol>
        {shown.map((line, index) => (
          <TraceLineItem key={earlier + index} line={line} />
        ))}
      </ol>
    </section>
  );
}

function TraceLineItem({ line }: { line: TraceLine }) {
  const [isOpen, setOpen] = useState(false);
  const { at, direction, text } = line;
  const summary = summaryOf(line);
  return (
    <li data-direction={direction}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <time dateTime={at} title={new Date(at).toLocaleString()}>
            {timeOfDay(at)}
          </time>
          <span class="sign" aria-hidden="true">
            {DIRECTION_SIGNS[direction]}
          </span>
          <span class="visually-hidden">{DIRECTION_WORDS[direction]}</span>
          {summary !== "" && <span class="summary">{summary}</span>}
          <span class="preview truncate">{text.slice(0, PREVIEW_CHARS_MAX)}</span>
        </summary>
        {isOpen && <pre>{wholeText(text)}</pre>}
      </details>
    </li>
  );
}

const TIME_OF_DAY = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

function timeOfDay(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : TIME_OF_DAY.format(time);
}
