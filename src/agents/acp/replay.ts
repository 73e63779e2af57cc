import { normalizeForComparison } from "../../lib/normalize-for-comparison.ts";
import { type AgentEvent, type AgentSink, CONVERSATION_EVENTS } from "../../ports/agents.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";

/** All that should come has come: what still may follow is a piece of the last answer. */
const QUIET_WHEN_COMPLETE_MS = 150;
/** Something is missing: the agent has forgotten it, or it goes on after its answer and a busy machine holds it up. */
const QUIET_WHEN_INCOMPLETE_MS = 2_000;
const REPLAY_WAIT_MS_MAX = 30_000;
const KEPT_CHARS_MAX = 64 * 1024 * 1024;

/** What a replay of old talk may still tell us that is news: choices, commands and usage, never words. */
const CURRENT: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "options",
  "option-chosen",
  "commands",
  "usage",
  "abilities",
]);

/** What the agent should repeat, by which the end of a replay is known. */
export interface Expected {
  readonly userMessages: number;
  /** The last message of the user, and what the agent said after it. */
  readonly last: { readonly message: string; readonly answer: string };
}

/** The agent repeats what it remembers. Nothing of it is shown as it comes: the session compares it with its own. */
export class Replay {
  readonly #expected: () => Expected;
  #events: AgentEvent[] = [];
  #chars = 0;
  #whole = true;
  #userMessages = 0;
  #lastKind: string | null = null;
  /** Text of the newest message received, and of what was said after it. */
  #message = "";
  #answer = "";
  #onWord: () => void = () => undefined;

  /** What is expected is asked for only when the end has to be known. */
  constructor(expected: () => Expected) {
    this.#expected = expected;
  }

  /** True for what is news even in a replay. */
  hear(event: AgentEvent): boolean {
    if (CURRENT.has(event.type)) return true;
    if (CONVERSATION_EVENTS.has(event.type)) this.#keep(event);
    const kind = event.type === "text" || event.type === "part" ? event.kind : event.type;
    if (kind === "user" && this.#lastKind !== "user") this.#startTurn();
    if (event.type === "text" && kind === "user") this.#message += normalizeForComparison(event.text);
    if (event.type === "text" && kind === "assistant") this.#answer += normalizeForComparison(event.text);
    this.#lastKind = kind;
    this.#onWord();
    return false;
  }

  get hasWords(): boolean {
    return this.#lastKind !== null;
  }

  /** All that was repeated, in order; not whole when it was more than is kept. */
  get told(): Extract<AgentEvent, { type: "replayed" }> {
    return { type: "replayed", events: this.#events, whole: this.#whole };
  }

  /**
   * Resolves when the replay is over. The protocol ends it with the answer to the load, which has come by now; some
   * agents go on after it, so as long as something is missing a longer silence is waited for.
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
      // What arrived while this process itself was held up is read before the silence is believed.
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
    // The newest are the ones that may be news.
    this.#events = this.#events.slice(Math.ceil(this.#events.length / 2));
    this.#chars = KEPT_CHARS_MAX / 2;
    this.#whole = false;
  }
}

const MINUTE_MS = 60_000;

interface LoadWait {
  /** As the user knows it, and as the agent calls itself. */
  readonly name: string;
  readonly agentName: string;
  readonly createdAt: number;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly sink: AgentSink;
}

/**
 * Gemini names a session's file by the clock minute and empties it when it is loaded within that minute. The wait is
 * told, and ends with a refusal when nobody waits any more.
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

/** False when the signal came first. */
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
