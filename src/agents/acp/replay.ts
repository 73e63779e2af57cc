import { normalizeForComparison } from "../../lib/normalize-for-comparison.ts";
import { type AgentEvent, type AgentSink, CONVERSATION_EVENTS } from "../../ports/agents.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";

/** Everything expected has arrived; only a piece of the last answer may follow. */
const QUIET_WHEN_COMPLETE_MS = 150;
/** Something is missing: the agent has lost it, or continues after its answer and a busy machine delays it. */
const QUIET_WHEN_INCOMPLETE_MS = 2_000;
const REPLAY_WAIT_MS_MAX = 30_000;
const KEPT_CHARS_MAX = 64 * 1024 * 1024;

/** Events that are current even during a replay: options, commands and usage, never messages. */
const CURRENT: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "options",
  "option-chosen",
  "commands",
  "usage",
  "abilities",
]);

/** The last stored messages, which mark the end of a replay. */
export interface Expected {
  readonly userMessages: number;
  /** The last user message, and the agent's text after it. */
  readonly last: { readonly message: string; readonly answer: string };
}

/** Collects the agent's replay of a conversation. Nothing of it is shown directly: the session compares it with its own log. */
export class Replay {
  readonly #expected: () => Expected;
  #events: AgentEvent[] = [];
  #chars = 0;
  #whole = true;
  #userMessages = 0;
  #lastKind: string | null = null;
  /** Text of the newest user message received, and of the answer after it. */
  #message = "";
  #answer = "";
  #onWord: () => void = () => undefined;

  /** `expected` is only called when the end has to be detected. */
  constructor(expected: () => Expected) {
    this.#expected = expected;
  }

  /** True for events that are current even during a replay. */
  record(event: AgentEvent): boolean {
    if (CURRENT.has(event.type)) return true;
    if (CONVERSATION_EVENTS.has(event.type)) this.#keep(event);
    const kind = kindOf(event);
    if (kind === "user" && this.#lastKind !== "user") this.#startTurn();
    if (event.type === "text" && kind === "user") this.#message += normalizeForComparison(event.text);
    if (event.type === "text" && kind === "assistant") this.#answer += normalizeForComparison(event.text);
    this.#lastKind = kind;
    this.#onWord();
    return false;
  }

  get hasText(): boolean {
    return this.#lastKind !== null;
  }

  /** All replayed events in order; not whole if they exceeded the limit. */
  get event(): Extract<AgentEvent, { type: "replayed" }> {
    return { type: "replayed", events: withEnds(this.#events), whole: this.#whole };
  }

  /**
   * Resolves when the replay is over. By protocol it ends with the answer to the load, which has arrived by now. Some
   * agents continue after it, so a longer silence is required while something is missing.
   */
  ended(): Promise<void> {
    const expected = this.#expected();
    const message = normalizeForComparison(expected.last.message);
    const answer = normalizeForComparison(expected.last.answer);
    const isComplete = () => {
      const isLast = this.#userMessages >= expected.userMessages || (message !== "" && this.#message.includes(message));
      return isLast && this.#answer.includes(answer);
    };
    return new Promise((resolve) => {
      let words = 0;
      const finish = () => {
        clearTimeout(quiet);
        clearTimeout(limit);
        this.#onWord = () => undefined;
        resolve();
      };
      // Reads what arrived while this process was blocked before the silence counts.
      const believe = (before: number) => setImmediate(() => (words === before ? finish() : wait()));
      const wait = () => {
        clearTimeout(quiet);
        const silentMs = isComplete() ? QUIET_WHEN_COMPLETE_MS : QUIET_WHEN_INCOMPLETE_MS;
        quiet = setTimeout(believe, silentMs, words);
      };
      let quiet: ReturnType<typeof setTimeout> | undefined;
      const limit = setTimeout(finish, REPLAY_WAIT_MS_MAX);
      this.#onWord = () => {
        words++;
        wait();
      };
      wait();
    });
  }

  #startTurn(): void {
    this.#userMessages++;
    this.#message = "";
    this.#answer = "";
  }

  #keep(event: AgentEvent): void {
    this.#chars +=
      event.type === "text" || event.type === "tool-output" ? event.text.length : JSON.stringify(event).length;
    this.#events.push(event);
    if (this.#chars <= KEPT_CHARS_MAX) return;
    // Keeps the newest events, which may be new.
    this.#events = this.#events.slice(Math.ceil(this.#events.length / 2));
    this.#chars = KEPT_CHARS_MAX / 2;
    this.#whole = false;
  }
}

/** Messages of and to a sub-agent are part of its call. */
function kindOf(event: AgentEvent): string {
  if (event.type !== "text" && event.type !== "part") return event.type;
  return event.parentToolCallId === undefined ? event.kind : "sub-agent";
}

/**
 * Agents replay how sub-agents ended after everything else; each end belongs to the turn that started the sub-agent.
 */
function withEnds(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const calls = new Map<string, number>();
  const placed: AgentEvent[] = [];
  for (const event of events) {
    const id = event.type === "tool" && event.patch.subAgent ? event.patch.toolCallId : null;
    const first = id === null ? undefined : calls.get(id);
    const known = first === undefined ? undefined : placed[first];
    if (event.type === "tool" && known?.type === "tool" && first !== undefined) {
      const subAgent = { ...known.patch.subAgent, ...event.patch.subAgent };
      placed[first] = { ...known, patch: { ...known.patch, ...event.patch, announced: true, subAgent } };
      continue;
    }
    if (id !== null) calls.set(id, placed.length);
    placed.push(event);
  }
  return placed;
}

const MINUTE_MS = 60_000;

interface LoadWait {
  /** The user-visible name, and the agent's own name. */
  readonly name: string;
  readonly agentName: string;
  readonly createdAt: number;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly sink: AgentSink;
}

/**
 * Gemini names a session's file by the clock minute and empties it if it is loaded within that minute. The wait is
 * reported, and ends with a refusal if it is aborted.
 */
export async function untilLoadIsSafe({ name, agentName, createdAt, now, signal, sink }: LoadWait): Promise<void> {
  if (!agentName.includes("gemini")) return;
  const waitMs = Math.floor(createdAt / MINUTE_MS + 1) * MINUTE_MS - now;
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  const content = `${name} would lose this conversation if it were loaded within a minute of its creation. Your message will be sent in ${seconds} s. Press Cancel to stop waiting.`;
  sink({ type: "notice", severity: "info", content });
  if (!(await passes(waitMs, signal))) throw new RefusalError(REFUSE.agentProtocol(`Stopped waiting for ${name}.`));
}

/** False if the signal aborted first. */
function passes(waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isPast: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(isPast);
    };
    const giveUp = () => finish(false);
    const timer = setTimeout(finish, waitMs, true);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
  });
}
