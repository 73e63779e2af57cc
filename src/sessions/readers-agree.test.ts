import { describe, expect, it } from "bun:test";
import { RandomTalk } from "../../tests/core/random-talk.ts";
import { SessionReader, shown, shownTail } from "../../tests/core/session-reader.ts";
import { openSession, type SessionScene } from "../../tests/core/session-scene.ts";
import { roundsOf, type SeededRandom, seededRandom } from "../../tests/support/seeded-random.ts";
import { entriesOf, foldMessage } from "../protocol/fold-message.ts";
import { reduceSession } from "../protocol/reduce-session.ts";
import { EMPTY_SESSION, type SessionState } from "../protocol/session-schema.ts";

const STEPS = 60;
/** More than the entries of any of these sessions. */
const WHOLE = 1_000;

/** A new session for each round; the callback runs after each of its steps. */
async function talks(
  label: string,
  full: number,
  test: (
    at: SessionScene,
    random: SeededRandom,
    talk: (between: () => Promise<void>) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const random = seededRandom(label);
  for (let round = 0; round < roundsOf(full); round += 1) {
    await using at = await openSession();
    const talk = new RandomTalk(random, at);
    await test(at, random, async (between) => {
      for (let step = 0; step < STEPS; step += 1) {
        await talk.step();
        await between();
      }
      await talk.finish();
    });
    expect(at.errors).toEqual([]);
  }
}

/** The state that all facts fold to. */
function meaningOf(at: SessionScene): SessionState {
  return at.facts.reduce<SessionState>(reduceSession, EMPTY_SESSION);
}

describe("however a session is read, it is the same session", () => {
  it("X-1 all facts folded equal the store, at any time and after a restart", async () => {
    await talks("facts are the store", 60, async (at, random, talk) => {
      await talk(async () => {
        if (random.fraction() < 0.2) expect(shown(await at.state())).toEqual(shown(meaningOf(at)));
      });
      expect(shown(await at.state())).toEqual(shown(meaningOf(at)));
      at.restart();
      expect(shown(await at.state())).toEqual(shown(meaningOf(at)));
    });
  });

  it("a history read at any moment, with the facts after it, equals all facts", async () => {
    let histories = 0;
    await talks("history and the rest", 60, async (at, random, talk) => {
      const taken: SessionState[] = [];
      await talk(async () => {
        if (random.fraction() < 0.2)
          taken.push(foldMessage(EMPTY_SESSION, await at.history(random.pick([1, 5, WHOLE]))));
      });
      const whole = meaningOf(at);
      histories += taken.length;
      for (const state of taken) {
        // Facts that are already included may arrive again: they change nothing.
        const folded = at.facts.reduce<SessionState>(reduceSession, state);
        expect(shown(folded)).toEqual(shownTail(whole, entriesOf(folded).length));
      }
    });
    expect(histories).toBeGreaterThan(0);
  });

  it("X-2 a reader that leaves and comes back ends with exactly the state of one that never left", async () => {
    await talks("two readers", 60, async (at, random, talk) => {
      const steady = new SessionReader(at, WHOLE);
      const fickle = new SessionReader(at, WHOLE);
      await steady.open();
      await talk(async () => {
        await steady.catchUp();
        if (random.fraction() < 0.3) {
          if (fickle.isFollowing) fickle.leave();
          else await fickle.open();
        }
        if (random.fraction() < 0.5) await fickle.catchUp();
      });
      if (!fickle.isFollowing) await fickle.open();
      await steady.catchUp();
      await fickle.catchUp();
      expect(fickle.histories).toBeLessThanOrEqual(1);
      expect(shown(fickle.state)).toEqual(shown(steady.state));
      expect(shown(steady.state)).toEqual(shown(await at.state()));
    });
  });

  it("X-3 pages put before the window, fetched while the session continues, add up to the whole", async () => {
    await talks("pages", 60, async (at, random, talk) => {
      const reader = new SessionReader(at, random.between(1, 8));
      await talk(async () => {
        if (!reader.isFollowing) await reader.open();
        await reader.catchUp();
        if (random.fraction() < 0.2) await reader.page(random.between(1, 10));
      });
      await reader.catchUp();
      for (let pages = 0; reader.state.hasMore && pages < WHOLE; pages += 1) await reader.page(random.between(1, 10));
      expect(shown(reader.state)).toEqual(shown(meaningOf(at)));
    });
  });
});
