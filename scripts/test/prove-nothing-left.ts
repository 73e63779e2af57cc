import { findMarked, killMarked, type MarkedProcess } from "./marked-processes.ts";
import { reportLine } from "./report.ts";
import { ONE_FAILED, ONE_PASSED, type Tally } from "./tally.ts";
import { RUN_MARKER, type TestEnvironment } from "./test-environment.ts";

/** A process that was signalled may still be ending when its tests are over. */
const ON_ITS_WAY_OUT_MS = 3_000;
const LOOK_AGAIN_MS = 100;
/** A process that is just starting shows no environment yet, so a single empty search proves nothing. */
const EMPTY_LOOKS_MIN = 3;

/** Fails when a part left processes behind; names them and ends them, so that the next part starts clean. */
export async function proveNothingLeft(part: string, { marker }: TestEnvironment): Promise<Tally> {
  const left = await stillThere(marker);
  reportLine(left.length === 0 ? "ok" : "FAIL", `${part}: leftovers`, `${left.length} processes left behind`);
  for (const { pid, commandLine } of left) console.log(`      | ${pid} ${commandLine}`);
  killMarked(left);
  return left.length === 0 ? ONE_PASSED : ONE_FAILED;
}

async function stillThere(marker: string): Promise<MarkedProcess[]> {
  const deadline = performance.now() + ON_ITS_WAY_OUT_MS;
  let left: MarkedProcess[] = [];
  let emptyLooks = 0;
  do {
    await Bun.sleep(LOOK_AGAIN_MS);
    left = findMarked(RUN_MARKER, marker);
    emptyLooks = left.length === 0 ? emptyLooks + 1 : 0;
  } while (emptyLooks < EMPTY_LOOKS_MIN && performance.now() < deadline);
  return left;
}
