import { FACT_TYPES } from "../../../src/protocol/facts.ts";
import type { ServerMessage } from "../../../src/protocol/server-messages.ts";

const FACTS: ReadonlySet<string> = new Set(FACT_TYPES);
const BREACHES_KEPT_MAX = 20;
const BREACH_CHARS_MAX = 600;

interface Known {
  readonly words: bigint | number;
  isShown: boolean;
  isLogged: boolean;
}

/** Remembers every fact that any reader was given: from then on it must be true for ever. */
export class Witness {
  /** By session, what stands at each seq. */
  readonly #known = new Map<string, Map<number, Known>>();
  readonly breaches: string[] = [];
  #shown = 0;
  #checked = 0;

  /** How many different facts readers were given. */
  get count(): number {
    return this.#shown;
  }

  /** How many of them were found in the log, word for word. */
  get checked(): number {
    return this.#checked;
  }

  /** A reader got this. */
  see(message: ServerMessage): void {
    if (!FACTS.has(message.type) || !("seq" in message) || !("sessionId" in message)) return;
    const { requestId: _, ...fact } = message;
    if (message.sessionId === undefined || message.seq === undefined) return;
    this.#note(message.sessionId, message.seq, fact, "isShown");
  }

  /** The log has this. */
  compare(sessionId: string, seq: number, fact: object): void {
    this.#note(sessionId, seq, fact, "isLogged");
  }

  /** The highest place that a reader was told of. */
  highest(sessionId: string): number {
    let highest = 0;
    for (const [seq, { isShown }] of this.#of(sessionId)) if (isShown) highest = Math.max(highest, seq);
    return highest;
  }

  #note(sessionId: string, seq: number, fact: object, by: "isShown" | "isLogged"): void {
    const all = this.#of(sessionId);
    const words = Bun.hash(JSON.stringify(fact));
    const known = all.get(seq) ?? { words, isShown: false, isLogged: false };
    all.set(seq, known);
    if (known.words !== words) {
      const breach = `${sessionId} seq ${seq}: readers and the log have different facts: ${JSON.stringify(fact)}`;
      if (this.breaches.length < BREACHES_KEPT_MAX) this.breaches.push(breach.slice(0, BREACH_CHARS_MAX));
      return;
    }
    const [wasShown, wasBoth] = [known.isShown, known.isShown && known.isLogged];
    known[by] = true;
    if (known.isShown && !wasShown) this.#shown += 1;
    if (known.isShown && known.isLogged && !wasBoth) this.#checked += 1;
  }

  #of(sessionId: string): Map<number, Known> {
    const known = this.#known.get(sessionId) ?? new Map<number, Known>();
    this.#known.set(sessionId, known);
    return known;
  }
}
