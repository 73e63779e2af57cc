import { isDeepStrictEqual } from "node:util";
import { entriesOf } from "../../src/protocol/fold-message.ts";
import type { SessionId } from "../../src/protocol/ids.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { wallClockMs } from "../measure/wall-clock.ts";
import { FollowedSession } from "../scene/followed-session.ts";
import { type BenchClient, createSession, openClient } from "../scene/open-client.ts";
import { causeOutage, unseenText } from "../scene/outage.ts";
import { PACED } from "../scene/stamps.ts";
import { type BenchServer, STAMPING_AGENT, startServer } from "../scene/start-server.ts";

/** Back at once, and back while the client is in its longest wait between tries. */
const OUTAGES_MS = [0, 4_000] as const;
const ROUNDS = 5;
const ROUNDS_QUICK = 2;
const RESYNC_MS_TARGET = 2_000;
const TURN_CHUNKS = 10_000;
const CHUNK_EVERY_MS = 5;

/** NFR-4: the server is killed during a turn and comes back; the client catches up automatically. */
export const resync: Bench = {
  name: "resync",
  asks: "server back after kill -9 to client in sync, against a client that connects for the first time",
  async run({ quick, report }) {
    await using dir = await tempDir();
    let server = await startServer(dir.path);
    try {
      using client = openClient(server);
      const sessionId = await createSession(client, dir.path, STAMPING_AGENT);
      using session = new FollowedSession(client, sessionId);
      let outages = 0;
      for (const downMs of OUTAGES_MS) {
        const times = { resynced: [] as number[], fresh: [] as number[] };
        for (let round = 0; round < (quick ? ROUNDS_QUICK : ROUNDS); round++) {
          outages += 1;
          await beginTurn(client, session, sessionId);
          const inSync = untilSynced(session, unseenText(outages));
          const outage = await causeOutage(server, sessionId, downMs, outages);
          server = outage.server;
          times.resynced.push(Math.max(0, (await inSync) - outage.acceptingAt));
          times.fresh.push(await freshSync(server, sessionId, session.state));
        }
        report({
          metric: `in sync after ${downMs / 1_000} s down, slowest`,
          unit: "ms",
          value: Math.max(...times.resynced),
          baseline: Math.max(...times.fresh),
          target: RESYNC_MS_TARGET,
          n: times.resynced.length,
        });
      }
    } finally {
      await server.stop();
    }
  },
};

/** A turn that is still under way when the server dies. */
async function beginTurn(client: BenchClient, session: FollowedSession, sessionId: SessionId): Promise<void> {
  const before = entriesOf(session.state).length;
  await client.ask({ type: "session:send", sessionId, content: PACED(TURN_CHUNKS, CHUNK_EVERY_MS) }, "ok");
  await session.until("the agent to speak", (state) => {
    const newest = entriesOf(state).at(-1);
    return entriesOf(state).length > before && newest?.type === "assistant" && newest.content.includes("n50t");
  });
}

/** In sync: it has what was written while it was disconnected, and the end of the turn. */
function untilSynced(session: FollowedSession, unseen: string): Promise<number> {
  return session.until("the client to be in sync", (state) => {
    return state.turn.state === "idle" && entriesOf(state).some(({ content }) => content === unseen);
  });
}

/** How long a client without data takes; also checks that the returning client has the same state. */
async function freshSync(server: BenchServer, sessionId: SessionId, synced: SessionState): Promise<number> {
  const from = wallClockMs();
  using client = openClient(server);
  using session = new FollowedSession(client, sessionId);
  const at = await session.until("a fresh client to be in sync", ({ seq }) => seq >= synced.seq);
  if (!isDeepStrictEqual(entriesOf(session.state), entriesOf(synced)))
    throw new Error("the client that came back does not show what a fresh one shows");
  return at - from;
}
