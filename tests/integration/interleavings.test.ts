import { expect, test } from "bun:test";
import { entriesOf } from "../../src/protocol/fold-message.ts";
import { isTurnActive, type SessionState } from "../../src/protocol/session-schema.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { Interleaving } from "./interleaving.ts";
import { anotherTalk, reopen, startTalk, type Talk } from "./talk.ts";

const INTERLEAVINGS_FULL = 1_000;
const STEPS_MAX = 14;
/** A session serves this many, so that cursors, pages and late updates meet a history. */
const INTERLEAVINGS_PER_SESSION = 10;
const INTERLEAVING_MS_MAX = 2_000;

function comparable(state: SessionState) {
  const { settled: _, open: __, ...rest } = state;
  return { ...rest, entries: entriesOf(state) };
}

/** No turn, no question and no message is left, whatever was still on its way from either client. */
async function settle({ stayed, visitor }: Interleaving): Promise<void> {
  const { client, sessionId } = stayed;
  do {
    await visitor.client.ask("agent:list", { type: "agent:list" });
    await client.ask("ok", { type: "session:queue-edit", sessionId, items: [] });
    await stayed.cancel();
    await client.ask("session:unarchived", { type: "session:unarchive", sessionId });
    await stayed.until("calm", ({ turn }) => !isTurnActive(turn));
  } while (stayed.state.queue.length > 0 || stayed.state.pending.length > 0);
}

/** All three at one seq: the one that stayed, the one that came and went, and one that opens now. */
async function expectAgreement(server: TestServer, { stayed, visitor }: Interleaving): Promise<void> {
  for (;;) {
    const fresh = await reopen(await server.connect(), stayed);
    const { seq } = fresh.state;
    await Promise.all([stayed, visitor].map((talk) => talk.until(`seq ${seq}`, (state) => state.seq >= seq)));
    for (const talk of [visitor, fresh]) await readWhole(talk);
    const states = [stayed.state, visitor.state, fresh.state];
    fresh.client[Symbol.dispose]();
    if (new Set(states.map((state) => state.seq)).size > 1) continue;
    const [expected, ...others] = states.map(comparable);
    for (const other of others) expect(other).toEqual(expected ?? other);
    return;
  }
}

async function readWhole(talk: Talk): Promise<void> {
  while (talk.state.hasMore) {
    const before = talk.entries[0]?.entryId ?? "";
    await talk.client.ask("session:page", { type: "session:page", sessionId: talk.sessionId, before });
  }
}

test(
  "X-2 two clients, one of which comes and goes, agree in every field after any interleaving",
  async () => {
    const random = seededRandom("interleavings of two clients");
    await using server = await startTestServer();
    let stayed = await startTalk(server);
    const total = roundsOf(INTERLEAVINGS_FULL);
    let steps = 0;
    for (let count = 1; count <= total; count += 1) {
      if (count % INTERLEAVINGS_PER_SESSION === 0) stayed = await anotherTalk(stayed.client, stayed.projectId);
      const interleaving = new Interleaving(server, stayed, await reopen(await server.connect(), stayed), random);
      for (let left = random.between(3, STEPS_MAX); left > 0; left -= 1) await interleaving.step();
      await interleaving.return();
      try {
        await settle(interleaving);
        await expectAgreement(server, interleaving);
      } catch (error) {
        throw new Error(`interleaving ${count}: ${interleaving.steps.join(", ")}`, { cause: error });
      }
      interleaving.visitor.client[Symbol.dispose]();
      steps += interleaving.steps.length;
    }
    console.log(`interleavings: ${total}, steps: ${steps}`);
  },
  roundsOf(INTERLEAVINGS_FULL) * INTERLEAVING_MS_MAX,
);
