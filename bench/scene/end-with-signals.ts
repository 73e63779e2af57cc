import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMarked, killMarked } from "../../scripts/test/marked-processes.ts";

const MARKER = "LIMINAL_BENCH_RUN";
/** Processes that are being started during the search are found by searching again. */
const LOOKS_MAX = 10;
const EXIT_CODE = 130;

/**
 * An aborted bench ends everything it has started (servers, their holders and agents, browsers), and removes every
 * temporary folder that it or they have created.
 */
export function endWithSignals(): void {
  const run = randomUUID();
  process.env[MARKER] = run;
  keepInOneFolder();
  // Our own environment is fixed at our start: only the processes we start have the mark.
  const others = () => findMarked(MARKER, run).filter(({ pid }) => pid !== process.pid);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      for (let looks = 0, found = others(); found.length > 0 && looks < LOOKS_MAX; looks++, found = others())
        killMarked(found);
      process.exit(EXIT_CODE);
    });
}

/**
 * Contains all temporary files, also those of the processes we start; it is removed with us, however we end. Its name
 * is short, because the path of a socket has a limit.
 */
function keepInOneFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), "lb-"));
  // A database in it runs as another user where the bench runs as root.
  chmodSync(folder, 0o711);
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
