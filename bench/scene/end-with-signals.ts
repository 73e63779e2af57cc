import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMarked, killMarked } from "../../scripts/test/marked-processes.ts";

const MARKER = "LIMINAL_BENCH_RUN";
/** What is being started while we look is found by looking again. */
const LOOKS_MAX = 10;
const EXIT_CODE = 130;

/**
 * A bench that is broken off takes along whatever it has started (servers, their holders and agents, browsers), and
 * every temporary folder that it or they have made.
 */
export function endWithSignals(): void {
  const run = randomUUID();
  process.env[MARKER] = run;
  keepInOneFolder();
  // Our own environment is that of our start: the mark is in those we start alone.
  const others = () => findMarked(MARKER, run).filter(({ pid }) => pid !== process.pid);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      for (let looks = 0, found = others(); found.length > 0 && looks < LOOKS_MAX; looks++, found = others())
        killMarked(found);
      process.exit(EXIT_CODE);
    });
}

/** What is temporary lies in it, also that of what we start; it goes with us, however we end. Its name is short: a socket's path may not be long. */
function keepInOneFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), "lb-"));
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
