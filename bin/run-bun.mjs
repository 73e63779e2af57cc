import { spawn } from "node:child_process";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bunMissingMessage, findBun } from "./find-bun.mjs";

/** The folder of this package, whatever folder the user stands in. */
export const PACKAGE_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Ctrl-C reaches us from the terminal and again from npm, within milliseconds: one wish, to be passed on once. */
const ONE_WISH_MS = 1_000;
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

/** The folder the user stands in may be anybody's: neither its bunfig.toml nor its .env gets a say in how we run. */
const IGNORE_THE_FOLDER = ["--no-env-file", "--no-install", `--config=${join(PACKAGE_ROOT, "bin", "bunfig.toml")}`];

/** Runs Bun in the foreground until it ends; gives the exit code that a shell would report for it. */
export function runBun(args) {
  const bun = findBun(PACKAGE_ROOT);
  if (bun === undefined) {
    console.error(bunMissingMessage(PACKAGE_ROOT));
    return Promise.resolve(1);
  }
  // Before there is a child: a signal that came in between would end us, and leave the child to itself.
  forwardSignals((signal) => child.kill(signal));
  const child = spawn(bun, [...IGNORE_THE_FOLDER, ...args], { stdio: "inherit" });
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
    child.once("error", (error) => {
      console.error(`Could not start Bun (${bun}): ${error.message}`);
      resolve(1);
    });
  });
}

function forwardSignals(forward) {
  let forwardedAt = Number.NEGATIVE_INFINITY;
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      const now = performance.now();
      if (now - forwardedAt < ONE_WISH_MS) return;
      forwardedAt = now;
      forward(signal);
    });
  }
}
