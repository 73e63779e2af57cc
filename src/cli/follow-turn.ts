import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { SessionFeed } from "../client/session-feed.ts";
import { ignore } from "../lib/ignore.ts";
import type { SessionPause } from "../protocol/conversations.ts";
import { entriesOf } from "../protocol/fold-message.ts";
import { CommandId, type SessionId, type TurnId } from "../protocol/ids.ts";
import { limitName, pauseWords } from "../protocol/limit-words.ts";
import { isQuestion } from "../protocol/pending-request.ts";
import { isTurnActive, type SessionState } from "../protocol/session-schema.ts";
import type { StopReason } from "../protocol/stop-reason.ts";
import { turnEndWords } from "../protocol/turn-end-words.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { type OpenRequest, openRequestOf, optionFor, requestWords } from "./open-request.ts";
import { printNote } from "./print.ts";
import type { ServerLink } from "./server-link.ts";
import { oneLine } from "./terminal.ts";

export interface TurnResult {
  readonly sessionId: SessionId;
  readonly status: "done" | "failed" | "cancelled" | "blocked";
  /** The agent's answer so far. */
  readonly text: string;
  /** The answer as JSON, if a schema was given. */
  readonly output?: unknown;
  readonly stopReason?: StopReason;
  readonly error?: string;
  /** The open requests, if the turn is blocked. */
  readonly pending?: readonly OpenRequest[];
  /** Questions that were declined because there is no terminal to answer them. */
  readonly declined?: readonly string[];
}

/** Of a declined question. */
const ASKED_CHARS_MAX = 200;

type TurnEnd = Pick<TurnResult, "status" | "stopReason" | "error">;

interface FollowOptions {
  readonly link: ServerLink;
  readonly sessionId: SessionId;
  readonly content: string;
  /** There is a terminal: requests are shown, and awaited. */
  readonly isInteractive: boolean;
  readonly onText: (text: string) => void;
}

/** Sends a message and resolves when its turn has ended, or cannot continue without an answer. */
export async function followTurn({
  link,
  sessionId,
  content,
  isInteractive,
  onText,
}: FollowOptions): Promise<TurnResult> {
  const commandId = CommandId.parse(randomUUID());
  const ended = Promise.withResolvers<TurnResult>();
  ended.promise.catch(ignore("if the session is refused, the message is too, and that is reported"));
  using asked = new AskedRequests(link, sessionId, isInteractive, ended.reject);
  const limits = new FollowedLimit(link, sessionId, ended.reject);
  const onChange = (state: SessionState) => {
    const turnId = limits.look(state, turnOf(state, commandId));
    const text = turnId === null ? "" : answerOf(state, turnId);
    onText(text);
    const open = asked.look(state);
    const end =
      limits.endOf(state) ??
      endOf(state, turnId, commandId) ??
      (open.length > 0 ? { status: "blocked" as const, pending: open } : null);
    if (end) ended.resolve({ sessionId, text, ...end, ...(asked.declined.length > 0 && { declined: asked.declined }) });
  };
  const onRefused = ({ message, code }: { message: string; code: string }) =>
    ended.reject(new CliError(EXIT.failed, message, code));
  using _feed = new SessionFeed({ connection: link.connection, sessionId, onChange, onRefused });
  await link.act({ type: "session:send", sessionId, content, commandId });
  return await Promise.race([ended.promise, link.gone(sessionId)]);
}

/** A turn that meets a usage limit is awaited: it continues automatically, in a turn of its own. */
class FollowedLimit {
  readonly #link: ServerLink;
  readonly #sessionId: SessionId;
  readonly #onError: (error: unknown) => void;
  /** The turn that met the limit, and the one that continued it. */
  #limited: TurnId | null = null;
  #resumed: TurnId | null = null;
  #reportedResumesAt = "";

  constructor(link: ServerLink, sessionId: SessionId, onError: (error: unknown) => void) {
    this.#link = link;
    this.#sessionId = sessionId;
    this.#onError = onError;
  }

  /** The turn to follow now. */
  look({ turn, pause }: SessionState, asked: TurnId | null): TurnId | null {
    if (this.#limited !== null && turn.turnId !== undefined && turn.turnId !== this.#limited) {
      this.#resumed = turn.turnId;
      this.#limited = null;
    }
    const followed = this.#resumed ?? asked;
    // While a turn starts or ends, the pause is still or already there.
    if (pause !== null && followed !== null && turn.turnId === followed && !isTurnActive(turn)) {
      this.#limited = followed;
      this.#reportPause(pause);
    }
    return followed;
  }

  /** Null if the end of the limit is known. */
  endOf({ pause, turn }: SessionState): TurnEnd | null {
    if (pause === null || this.#limited === null || turn.turnId !== this.#limited || pause.dueAt !== null) return null;
    const error = `${limitName(pause.limit)}. ${pause.limit.text} Try again in the page when the account can be used.`;
    return { status: "blocked", stopReason: "error", error };
  }

  #reportPause(pause: SessionPause): void {
    const resumesAt = pause.resumesAt ?? pause.dueAt;
    if (resumesAt === null || this.#reportedResumesAt === resumesAt) return;
    this.#reportedResumesAt = resumesAt;
    printNote(`${pauseWords({ ...pause, resumesAt }, Date.now())}. Waiting.`);
    // The user has agreed to it by waiting.
    const agree = { type: "session:resume-limit", sessionId: this.#sessionId, when: "then" } as const;
    if (pause.resumesAt === null) this.#link.act(agree).catch(this.#onError);
  }
}

/** Requests during the turn: questions are declined without a terminal, permissions are left open. */
class AskedRequests implements Disposable {
  readonly declined: string[] = [];
  /** One question at the terminal at a time; those answered elsewhere are withdrawn. */
  readonly #open = new Map<string, AbortController>();
  #asking: Promise<void> = Promise.resolve();
  readonly #link: ServerLink;
  readonly #sessionId: SessionId;
  readonly #isInteractive: boolean;
  readonly #onError: (error: unknown) => void;
  readonly #seen = new Set<string>();

  constructor(link: ServerLink, sessionId: SessionId, isInteractive: boolean, onError: (error: unknown) => void) {
    this.#link = link;
    this.#sessionId = sessionId;
    this.#isInteractive = isInteractive;
    this.#onError = onError;
  }

  /** The requests that block the turn. */
  look(state: SessionState): readonly OpenRequest[] {
    const blocking: OpenRequest[] = [];
    for (const pending of state.pending) {
      const request = openRequestOf(this.#sessionId, state.title, pending);
      const isNew = !this.#seen.has(request.id);
      this.#seen.add(request.id);
      if (this.#isInteractive) {
        if (isNew && request.kind === "permission") this.#ask(request);
        else if (isNew)
          printNote(
            `The agent has a question:\n${requestWords(request, "  ")}\nAnswer in the page, or with: liminal permit ${request.id}`,
          );
      } else if (!isQuestion(pending)) blocking.push(request);
      else if (isNew) this.#decline(pending.elicitationId, oneLine(request.asks, ASKED_CHARS_MAX));
    }
    const ids = new Set<string>(state.pending.map((one) => openRequestOf(this.#sessionId, "", one).id));
    for (const [id, withdrawn] of this.#open) if (!ids.has(id)) withdrawn.abort();
    return blocking;
  }

  [Symbol.dispose](): void {
    for (const withdrawn of this.#open.values()) withdrawn.abort();
  }

  #ask(request: Extract<OpenRequest, { kind: "permission" }>): void {
    const withdrawn = new AbortController();
    this.#open.set(request.id, withdrawn);
    this.#asking = this.#asking
      .then(() => this.#answer(request, withdrawn.signal))
      .catch(this.#onError)
      .finally(() => this.#open.delete(request.id));
  }

  async #answer(request: Extract<OpenRequest, { kind: "permission" }>, withdrawn: AbortSignal): Promise<void> {
    if (withdrawn.aborted) return;
    printNote(`The agent is asking for permission:\n${requestWords(request, "  ")}`);
    const answer = await yesOrNo(withdrawn);
    if (answer === null) return;
    const option = optionFor(request.options, answer ? "allow" : "deny");
    if (!option) {
      printNote(`That answer is not offered. Answer in the page, or with: liminal permit ${request.id}`);
      return;
    }
    try {
      const { id: permissionId, sessionId } = request;
      await this.#link.act({ type: "permission:respond", sessionId, permissionId, optionId: option.optionId });
    } catch (error) {
      if (!(error instanceof CliError && error.code === "REQUEST_NOT_PENDING")) throw error;
      printNote("Already answered elsewhere.");
    }
  }

  #decline(id: Parameters<typeof declineRequest>[1], asks: string): void {
    this.declined.push(asks);
    printNote(`The agent asked "${asks}". Declined, because there is no terminal to answer it.`);
    this.#link.act(declineRequest(this.#sessionId, id)).catch((error: unknown) => {
      // Answered elsewhere or withdrawn in the meantime: there is nothing left to decline.
      if (!(error instanceof CliError && error.code === "REQUEST_NOT_PENDING")) this.#onError(error);
    });
  }
}

/** The answer typed on the terminal; null if the question is withdrawn or the terminal is closed. */
async function yesOrNo(withdrawn: AbortSignal): Promise<boolean | null> {
  // The terminal keeps its own line editing and Ctrl-C.
  using lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<null>((resolve) => {
    lines.once("close", () => resolve(null));
    withdrawn.addEventListener("abort", () => resolve(null), { once: true });
  });
  for (;;) {
    const typed = await Promise.race([lines.question("Allow this once? [y/n] "), closed]);
    if (typed === null) return null;
    const answer = /^\s*(?:(y|yes)|(n|no))\s*$/i.exec(typed);
    if (answer) return answer[1] !== undefined;
  }
}

function declineRequest(
  sessionId: SessionId,
  elicitationId: Extract<SessionState["pending"][number], { elicitationId: unknown }>["elicitationId"],
) {
  return { type: "elicitation:respond", sessionId, elicitationId, action: "decline" } as const;
}

function turnOf(state: SessionState, commandId: CommandId): TurnId | null {
  const entry = entriesOf(state).findLast((one) => one.type === "user" && one.commandId === commandId);
  return entry?.turnId ?? null;
}

/** The agent's own text; that of its sub-agents belongs to their tool calls. */
function answerOf(state: SessionState, turnId: TurnId): string {
  return entriesOf(state)
    .flatMap((entry) =>
      entry.type === "assistant" && entry.turnId === turnId && entry.parentToolCallId === undefined
        ? [entry.content]
        : [],
    )
    .join("\n\n");
}

function endOf(state: SessionState, turnId: TurnId | null, commandId: CommandId): TurnEnd | null {
  if (turnId === null) {
    const isHeld =
      state.queuePaused && !isTurnActive(state.turn) && state.queue.some((item) => item.commandId === commandId);
    if (!isHeld) return null;
    const why =
      state.pause === null
        ? "The queue is paused, so the message was not sent. Resume the queue in the page."
        : `${pauseWords(state.pause, Date.now())}. The message waits in the queue. Resume the session in the page.`;
    return { status: "blocked", error: why };
  }
  const { turn, pause } = state;
  if (turn.turnId === turnId && pause !== null) return null;
  if (turn.turnId === turnId)
    return isTurnActive(turn) ? null : judged(turn.stopReason ?? "end_turn", turn.error?.message);
  return endedEarlier(state, turnId);
}

/** For a turn that is not the newest: its message may precede its start, or others have followed. */
function endedEarlier(state: SessionState, turnId: TurnId): TurnEnd | null {
  const entries = entriesOf(state);
  const notice = entries.findLast((entry) => entry.type === "notice" && entry.turnId === turnId && entry.turnEnd);
  if (notice?.type === "notice") return judged(notice.turnEnd ?? "end_turn", notice.content);
  const newest = entries.findLast((entry) => entry.type === "user");
  return newest?.turnId !== turnId ? judged("end_turn") : null;
}

function judged(stopReason: StopReason, message?: string): TurnEnd {
  if (stopReason === "end_turn") return { status: "done", stopReason };
  if (stopReason === "cancelled") return { status: "cancelled", stopReason };
  return { status: "failed", stopReason, error: message ?? turnEndWords(stopReason)?.content ?? stopReason };
}
