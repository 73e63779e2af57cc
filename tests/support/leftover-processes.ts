import { findMarked, killMarked, type MarkedProcess } from "../../scripts/test/marked-processes.ts";

const CASE_MARKER = "LIMINAL_TEST_CASE";
const LOOK_AGAIN_MS = 20;

/** Finds again whatever one test started, however deep and whoever its parent is by now. */
export type ProcessWatch = Disposable & {
  /** Goes into the environment of what the test starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Those alive now. */
  alive(): MarkedProcess[];
  /** Waits until none is alive; after the deadline, gives those that still are. */
  leftAfter(deadlineMs: number): Promise<MarkedProcess[]>;
};

/** `using processes = watchProcesses()`; what is still there when the test ends is killed. */
export function watchProcesses(): ProcessWatch {
  const id = crypto.randomUUID();
  const alive = () => findMarked(CASE_MARKER, id);
  return {
    env: { [CASE_MARKER]: id },
    alive,
    async leftAfter(deadlineMs) {
      const deadline = performance.now() + deadlineMs;
      while (alive().length > 0 && performance.now() < deadline) await Bun.sleep(LOOK_AGAIN_MS);
      return alive();
    },
    [Symbol.dispose]: () => killMarked(alive()),
  };
}
