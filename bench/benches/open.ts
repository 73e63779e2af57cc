import type { SessionId } from "../../src/protocol/ids.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { RawReader } from "../scene/raw-reader.ts";
import { reportGrowth } from "../scene/report-growth.ts";
import { type SeededSessions, SIZES, type Size, seedSessions } from "../scene/seeded-sessions.ts";
import { startServer } from "../scene/start-server.ts";

const SESSIONS_PER_SIZE = 5;
const SESSIONS_PER_SIZE_QUICK = 2;
const WARM_ROUNDS = 20;
const WARM_ROUNDS_QUICK = 5;

/** X-3, the server's half of NFR-3: a long session opens as fast as a short one. */
export const open: Bench = {
  name: "open",
  asks: "session:open to session:history at 20, 2,000 and 20,000 entries",
  async run({ quick, report }) {
    await using dir = await tempDir();
    // One more of each to begin with: the first one ever also warms up the code.
    const all = seedSessions(dir.path, 1 + (quick ? SESSIONS_PER_SIZE_QUICK : SESSIONS_PER_SIZE));
    const seeded = { 20: all[20].slice(1), 2000: all[2_000].slice(1), 20000: all[20_000].slice(1) };
    await using server = await startServer(dir.path);
    using reader = await RawReader.open(server.socketUrl);
    for (const size of SIZES) for (const { id } of all[size].slice(0, 1)) await openOnce(reader, id, {});
    const rounds = quick ? WARM_ROUNDS_QUICK : WARM_ROUNDS;
    reportGrowth(report, "opened for the first time", await openAll(reader, seeded, 1, {}));
    reportGrowth(report, "opened again", await openAll(reader, seeded, rounds, {}));
    // By default the newest 200 are sent, of a short session all 20: asked for as many, only the length differs.
    reportGrowth(report, "opened again, newest 20", await openAll(reader, seeded, rounds, { limit: 20 }));
  },
};

/** The sizes alternate, so that a disturbance affects all of them. */
async function openAll(
  reader: RawReader,
  seeded: SeededSessions,
  rounds: number,
  window: { readonly limit?: number },
): Promise<Record<Size, number[]>> {
  const times: Record<Size, number[]> = { 20: [], 2000: [], 20000: [] };
  for (let round = 0; round < rounds; round++) {
    for (const index of seeded[20].keys()) {
      for (const size of SIZES) {
        const session = seeded[size][index];
        if (session) times[size].push(await openOnce(reader, session.id, window));
      }
    }
  }
  return times;
}

async function openOnce(reader: RawReader, sessionId: SessionId, window: { readonly limit?: number }): Promise<number> {
  const opening = JSON.stringify({ type: "session:open", sessionId, ...window });
  const closing = JSON.stringify({ type: "session:close", sessionId, requestId: "close" });
  const { tookMs } = await reader.exchange(opening, '"session:history"');
  await reader.exchange(closing, '"requestId":"close"');
  return tookMs;
}
