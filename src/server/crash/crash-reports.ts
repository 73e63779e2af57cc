import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = "crashes";
const REPORTS_KEPT_MAX = 5;
const NAME = /^crash-[0-9TZ.-]+\.txt$/;
const LINES_MAX = 100;

export interface Crash {
  /** What happened, in one sentence. */
  readonly what: string;
  readonly details: string;
  readonly at: string;
  readonly version: string;
  /** The last lines of the log, without secrets. */
  readonly log: readonly string[];
}

/** Files that say how the server came to an unexpected end. They stay here: whether anyone else sees one is the user's to say. */
export class CrashReports {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = join(dataDir, FOLDER);
  }

  /** Where it lies. */
  write({ what, details, at, version, log }: Crash): string {
    const path = join(this.#dir, `crash-${at.replaceAll(":", "-")}.txt`);
    const head = [
      "Liminal Builder ended unexpectedly.",
      "This file was sent to nobody. Read it before you share it; delete it as you like.",
      "",
      `What:     ${what}`,
      `When:     ${at}`,
      `Version:  ${version}`,
      `Platform: ${process.platform} ${process.arch}, Bun ${Bun.version}`,
    ];
    const text = [...head, "", details, "", "The last lines of its log:", ...log.slice(-LINES_MAX), ""].join("\n");
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

  /** Null for one that is not there; a name that is none leads nowhere. */
  read(name: string): string | null {
    return this.names().includes(name) ? readFileSync(this.pathOf(name), "utf8") : null;
  }

  delete(name: string): boolean {
    if (!this.names().includes(name)) return false;
    rmSync(this.pathOf(name), { force: true });
    return true;
  }
}
