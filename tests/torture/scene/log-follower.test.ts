import { describe, expect, it } from "bun:test";
import { RandomTalk } from "../../core/random-talk.ts";
import { openSession, type SessionScene } from "../../core/session-scene.ts";
import { roundsOf, seededRandom } from "../../support/seeded-random.ts";
import { LogFollower } from "./log-follower.ts";
import { Witness } from "./witness.ts";

const STEPS = 60;
/** Ways in which a disk takes nothing: at the first word of a transaction, and in the middle of one. */
const UNWILLING = ["PRAGMA query_only = 1", "PRAGMA max_page_count = 1"];
const WILLING = "PRAGMA query_only = 0; PRAGMA max_page_count = 1073741823";

function follow(at: SessionScene): LogFollower {
  return new LogFollower(at.store.path, new Witness());
}

async function turn(at: SessionScene, words: string): Promise<void> {
  await at.say("go");
  at.agents.last.text(words);
  at.agents.last.endTurn();
  await at.service.flush();
}

describe("log and stored state, looked at in one moment", () => {
  it("X-1 are the same for any messages, and whenever the disk refuses writes", async () => {
    const random = seededRandom("stored is logged");
    let refusedWrites = 0;
    for (let round = 0; round < roundsOf(40); round += 1) {
      await using at = await openSession();
      const follower = follow(at);
      const talk = new RandomTalk(random, at);
      for (let step = 0; step < STEPS; step += 1) {
        if (random.fraction() < 0.15) at.store.db.exec(random.pick(UNWILLING));
        else if (random.fraction() < 0.4) at.store.db.exec(WILLING);
        await talk.step();
        if (random.fraction() < 0.3) expect([...follower.compareStored(), ...follower.breaches]).toEqual([]);
      }
      at.store.db.exec(WILLING);
      await talk.finish();
      expect([...follower.compareStored(), ...follower.breaches]).toEqual([]);
      expect(follower.folded(at.sessionId).state.seq).toBe(at.facts.length);
      refusedWrites += at.errors.length;
      at.restart();
      await at.service.flush();
      expect([...follower.compareStored(), ...follower.breaches]).toEqual([]);
    }
    expect(refusedWrites).toBeGreaterThan(0);
  });

  it("X-1 are the same with words between two turns, which the store settles at once", async () => {
    await using at = await openSession();
    const follower = follow(at);
    await turn(at, "answer");
    at.agents.last.text("by the way", "of its own");
    await at.service.flush();
    expect(follower.compareStored()).toEqual([]);
    expect(follower.folded(at.sessionId).state.open).toHaveLength(1);
    expect((await at.store.log.page(at.sessionId, null, 9))?.entries).toHaveLength(3);
    await turn(at, "another");
    expect(follower.compareStored()).toEqual([]);
  });

  it("X-1 are the same again after facts left the log unread", async () => {
    await using at = await openSession();
    const follower = follow(at);
    await turn(at, "one");
    expect(follower.compareStored()).toEqual([]);
    await turn(at, "two");
    const kept = at.facts.length - 2;
    at.store.db.exec(`DELETE FROM fact WHERE seq < ${kept}; UPDATE session SET kept_from_seq = ${kept}`);
    expect([...follower.compareStored(), ...follower.breaches]).toEqual([]);
    expect(follower.gaps).toBe(1);
    await turn(at, "three");
    expect([...follower.compareStored(), ...follower.breaches]).toEqual([]);
    at.store.db.exec("DELETE FROM entry WHERE position = (SELECT min(position) FROM entry)");
    expect(follower.compareStored()).toHaveLength(1);
  });

  it.each([
    ["an entry too few", "DELETE FROM entry WHERE position = (SELECT max(position) FROM entry)"],
    ["an entry that is another", `UPDATE entry SET json = replace(json, 'answer', 'other')`],
    ["a title that no fact gave", `UPDATE session SET snapshot = replace(snapshot, '"title":"go"', '"title":"gone"')`],
  ])("X-1 differ: %s is found", async (_, damage) => {
    await using at = await openSession();
    const follower = follow(at);
    await turn(at, "answer");
    expect(follower.compareStored()).toEqual([]);
    at.store.db.exec(damage);
    expect(follower.compareStored()).toHaveLength(1);
  });

  it("X-1 a fact that is gone from the middle of the log is found", async () => {
    await using at = await openSession();
    const follower = follow(at);
    await turn(at, "answer");
    at.store.db.exec("DELETE FROM fact WHERE seq = 2");
    follower.poll();
    expect(follower.breaches).not.toEqual([]);
  });
});
