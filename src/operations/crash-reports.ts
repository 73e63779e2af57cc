import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DataDir } from "./data-dir.ts";
import type { InstanceLock } from "./instance-lock.ts";
import type { Logger, ServerLog } from "./server-log.ts";
import { VERSION } from "./version.ts";

const FOLDER = "crashes";
const REPORTS_KEPT_MAX = 5;
const NAME = /^crash-[0-9TZ.-]+\.txt$/;
const LINES_MAX = 100;

interface Crash {
  /** What happened, in one sentence. */
  readonly what: string;
  readonly details: string;
  readonly at: string;
  readonly version: string;
  /** The last lines of the log, without secrets. */
  readonly log: readonly string[];
}

/** Files that describe unexpected exits of the server. They stay local: the user decides whether to share one. */
export class CrashReports {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = join(dataDir, FOLDER);
  }

  /** Returns its path. */
  write({ what, details, at, version, log }: Crash): string {
    const path = join(this.#dir, `crash-${at.replaceAll(":", "-")}.txt`);
    const head = [
      "Liminal Builder ended unexpectedly.",
      "This report stays on this machine. Review it before sharing. You can delete it.",
      "",
      `What:     ${what}`,
      `When:     ${at}`,
      `Version:  ${version}`,
      `Platform: ${process.platform} ${process.arch}, Bun ${Bun.version}`,
    ];
    const text = [...head, "", details, "", "Last log lines:", ...log.slice(-LINES_MAX), ""].join("\n");
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
    for (const old of this.names().slice(REPORTS_KEPT_MAX)) this.delete(old);
    return path;
  }

  /** Newest first. */
  names(): readonly string[] {
    if (!existsSync(this.#dir)) return [];
    return readdirSync(this.#dir)
      .filter((name) => NAME.test(name))
      .sort()
      .reverse();
  }

  pathOf(name: string): string {
    return join(this.#dir, name);
  }

  /** Null if there is none; an invalid name never becomes a path. */
  read(name: string): string | null {
    return this.names().includes(name) ? readFileSync(this.pathOf(name), "utf8") : null;
  }

  delete(name: string): boolean {
    if (!this.names().includes(name)) return false;
    rmSync(this.pathOf(name), { force: true });
    return true;
  }
}

/** An uncaught error ends the server and is written to a file that only the user can read. */
export function reportCrashes(dataDir: string, logger: ServerLog): void {
  const crash = (what: string) => (error: unknown) => {
    const details = logger.clean(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const at = new Date().toISOString();
    const log = [...logger.recent];
    try {
      const path = new CrashReports(dataDir).write({ what, details, at, version: VERSION, log });
      logger.error(`${what} The server ended. Crash report: ${path} (stays on this machine).`);
    } catch (failure) {
      logger.error(`${what} The server ended: ${details}`, failure);
    }
    process.exit(1);
  };
  process.on("uncaughtException", crash("Uncaught exception."));
  process.on("unhandledRejection", crash("Unhandled promise rejection."));
}

/** Logs at the start if the last run ended unexpectedly. */
export function logLastRun(dataDir: DataDir, lock: InstanceLock, logger: Logger): CrashReports {
  const crashes = new CrashReports(dataDir.path);
  const [newest] = crashes.names();
  if (newest !== undefined)
    logger.warn(
      `An earlier run ended unexpectedly. Crash report: ${crashes.pathOf(newest)} (stays on this machine; delete it when you are done).`,
    );
  else if (lock.wasNotReleased)
    logger.info("The last run was killed, or the machine went down. All stored data is intact.");
  return crashes;
}

/** For the page. */
export function lastCrash(dataDir: DataDir): { crashReport?: string } {
  const [newest] = new CrashReports(dataDir.path).names();
  return newest === undefined ? {} : { crashReport: newest };
}
