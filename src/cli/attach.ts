import { refusalOf } from "../client/pending-requests.ts";
import { asPlainJson } from "../lib/harmless-text.ts";
import { terminalText } from "../presentation/entry-text.ts";
import type { Entry } from "../protocol/entry.ts";
import { entriesOf, foldMessage } from "../protocol/fold-message.ts";
import type { SessionId } from "../protocol/ids.ts";
import { requestIdOf } from "../protocol/pending-request.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../protocol/session-schema.ts";
import { type CommandLine, countOf } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { openRequestOf, requestWords } from "./open-request.ts";
import { printNote } from "./print.ts";
import { connect } from "./server-link.ts";
import { oneLine, paint, plain, type Screen, type Style, untilInterrupted } from "./terminal.ts";

const EARLIER_ENTRIES = 20;

/** Follows a session until Ctrl-C, or until nothing runs in it any more. Detaching changes nothing. */
export async function attach(line: CommandLine): Promise<ExitCode> {
  const earlier = countOf(line, "entries", EARLIER_ENTRIES);
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  const idle = Promise.withResolvers<"idle">();
  const transcript = new LiveTranscript(sessionId, earlier, line.screen, (text) => process.stdout.write(text));
  let state = EMPTY_SESSION;
  const unfollow = link.connection.follow(sessionId, (message) => {
    if (message.type === "error") {
      const { message: words, code } = refusalOf(message);
      idle.reject(new CliError(EXIT.failed, words, code));
      return;
    }
    if (line.json) process.stdout.write(`${asPlainJson(JSON.stringify(message))}\n`);
    if (message.type === "session:draft" || message.type === "changes:state" || message.type === "session:presence")
      return;
    state = foldMessage(state, message);
    if (!line.json) transcript.show(state);
    if (line.has("until-idle") && isAtRest(state)) idle.resolve("idle");
  });
  if (!line.json) printNote(`Attached to ${sessionId}. Press Ctrl-C to detach; the session keeps running.`);
  const leave = () => {
    unfollow();
    if (!line.json) process.stdout.write("\n");
  };
  const why = await Promise.race([idle.promise, untilInterrupted(), link.gone(sessionId)]).finally(leave);
  if (why === "interrupted" && !line.json) printNote("Detached.");
  return EXIT.done;
}

function isAtRest({ turn, queue, queuePaused }: SessionState): boolean {
  return !isTurnActive(turn) && (queue.length === 0 || queuePaused);
}

/** A session as lines on a terminal: new text is appended, growing text continues in place. */
export class LiveTranscript {
  readonly #sessionId: SessionId;
  readonly #earlierMax: number;
  readonly #screen: Screen;
  readonly #write: (text: string) => void;
  /** The written text of each entry. */
  readonly #shown = new Map<string, string>();
  readonly #asked = new Set<string>();
  /** The entry at the cursor. */
  #last: string | null = null;
  /** The first entry that may still change on screen; null before anything was shown. */
  #from: number | null = null;

  constructor(sessionId: SessionId, earlierMax: number, screen: Screen, write: (text: string) => void) {
    this.#sessionId = sessionId;
    this.#screen = screen;
    this.#earlierMax = earlierMax;
    this.#write = write;
  }

  show(state: SessionState): void {
    const entries = entriesOf(state);
    if (this.#from === null || entries.length < this.#from) this.#from = Math.max(0, entries.length - this.#earlierMax);
    for (const entry of entries.slice(this.#from)) this.#entry(entry);
    // Settled entries are not read again: a long session costs no more than a short one.
    if (state.open.length === 0) this.#from = entries.length;
    for (const pending of state.pending) {
      if (this.#asked.has(requestIdOf(pending))) continue;
      this.#asked.add(requestIdOf(pending));
      const request = openRequestOf(this.#sessionId, state.title, pending);
      this.#line(
        plain(
          `? The agent has a question:\n${requestWords(request, "  ")}\n  answer with: liminal permit ${request.id}`,
        ),
        "yellow",
      );
    }
  }

  #entry(entry: Entry): void {
    const text = terminalText(entry, { plain, oneLine, columns: this.#screen.columns });
    const style = styleOf(entry);
    const before = this.#shown.get(entry.entryId);
    if (text === "" || before === text) return;
    this.#shown.set(entry.entryId, text);
    if (before !== undefined && this.#last === entry.entryId && text.startsWith(before))
      this.#write(paint(style, text.slice(before.length)).render(this.#screen));
    else if (before !== undefined && text.startsWith(before)) this.#line(text.slice(before.length), style);
    else this.#line(text, style);
    this.#last = entry.entryId;
  }

  #line(text: string, style: Style | undefined): void {
    this.#write(`${this.#last === null ? "" : "\n"}${paint(style, text).render(this.#screen)}`);
    this.#last = "";
  }
}

function styleOf(entry: Entry): Style | undefined {
  switch (entry.type) {
    case "user":
      return "bold";
    case "thinking":
      return "dim";
    case "tool-call":
      return entry.status === "error" ? "red" : "cyan";
    case "notice":
      return "yellow";
    default:
      return undefined;
  }
}
