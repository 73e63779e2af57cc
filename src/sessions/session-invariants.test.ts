import { describe, expect, it } from "bun:test";
import { RandomTalk } from "../../tests/core/random-talk.ts";
import { openSession } from "../../tests/core/session-scene.ts";
import { roundsOf, seededRandom } from "../../tests/support/seeded-random.ts";
import { type Entry, isTextEntry } from "../protocol/entry.ts";
import { Fact } from "../protocol/facts.ts";
import { entriesOf } from "../protocol/fold-message.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../protocol/session-schema.ts";

const STEPS = 80;

/** Follows every fact and reports violated invariants. */
class Watch {
  state: SessionState = EMPTY_SESSION;
  readonly broken: string[] = [];
  readonly #whole = new Set<string>();
  readonly #turnsEnded = new Set<string>();

  see(fact: Fact): void {
    const before = this.state;
    this.state = reduceSession(before, fact);
    if (fact.seq !== before.seq + 1) this.#break(fact, `follows ${before.seq}`);
    this.#checkText(fact, before);
    this.#checkSettled(fact, before);
    if (fact.type === "session:turn") this.#checkTurn(fact);
  }

  #checkText(fact: Fact, before: SessionState): void {
    if (fact.type === "session:complete" || fact.type === "session:cancelled") {
      if (this.#whole.has(fact.entryId)) this.#break(fact, "is said to be whole twice");
      this.#whole.add(fact.entryId);
    }
    if (fact.type !== "session:chunk") return;
    const entry = entriesOf(before).find(({ entryId }) => entryId === fact.entryId);
    if (!entry) this.#break(fact, "was never announced");
    if (fact.field !== "result" && this.#whole.has(fact.entryId)) this.#break(fact, "grows after it was whole");
  }

  /** Entries of an ended turn are changed by late updates only, and never vanish or move. */
  #checkSettled(fact: Fact, before: SessionState): void {
    const isLate = fact.type === "session:update" && fact.late === true;
    before.settled.forEach((entry, index) => {
      const now = this.state.settled[index];
      if (now?.entryId !== entry.entryId) this.#break(fact, `moves ${entry.entryId}`);
      else if (now !== entry && !isLate) this.#break(fact, `changes the settled ${entry.entryId}`);
    });
  }

  #checkTurn({ turn, ...fact }: Extract<Fact, { type: "session:turn" }>): void {
    if (turn.turnId !== undefined && this.#turnsEnded.has(turn.turnId)) this.#break(fact, "a turn that had ended");
    if (isTurnActive(turn)) return;
    if (turn.turnId !== undefined) this.#turnsEnded.add(turn.turnId);
    const entries = entriesOf(this.state);
    if (entries.some((entry) => entry.type === "tool-call" && entry.status === "running"))
      this.#break(fact, "spins on");
    if (this.state.pending.length > 0) this.#break(fact, "leaves questions open");
    for (const entry of entries.filter((one) => one.turnId === turn.turnId && isTextEntry(one)))
      if (!this.#whole.has(entry.entryId)) this.#break(fact, `leaves ${entry.entryId} growing`);
    const own = entries.find((entry) => entry.type === "user" && entry.turnId === turn.turnId);
    const spoke = entries.some((entry: Entry) => entry.turnId === turn.turnId && isTextEntry(entry));
    if (own && !spoke && !this.#whole.has(own.entryId)) this.#break(fact, "completes nothing");
  }

  #break({ seq, type }: { seq: number; type: string }, what: string): void {
    this.broken.push(`${seq} ${type}: ${what}`);
  }
}

describe("whatever a user and an agent do", () => {
  it("X-1 W-3 W-12 the rules of a transcript hold after every fact, and no text is lost", async () => {
    const random = seededRandom("session invariants");
    for (let round = 0; round < roundsOf(120); round += 1) {
      await using at = await openSession();
      const talk = new RandomTalk(random, at);
      for (let step = 0; step < STEPS; step += 1) await talk.step();
      await talk.finish();
      const watch = new Watch();
      for (const fact of at.facts) watch.see(fact);
      expect(watch.broken).toEqual([]);
      const transcript = entriesOf(watch.state).map(({ content }) => content);
      expect(talk.words.filter((word) => !transcript.some((content) => content.includes(word)))).toEqual([]);
      const ids = entriesOf(watch.state).map(({ entryId }) => entryId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(watch.state.turn.state).toBe("idle");
      expect(at.errors).toEqual([]);
      for (const fact of at.facts) expect(Fact.safeParse(fact).success).toBe(true);
    }
  });
});
