import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Set in the torture's own environment when it runs where its mounts are nobody else's. */
export const PRIVATE_MOUNTS = "TORTURE_PRIVATE_MOUNTS";
const SIZE = "512m";
const BALLAST = "ballast";
const NEARLY_PAGES = 256;

/** The data directory as a disk of its own, which can be filled and made read-only; null where mounting is not allowed. */
export class PrivateDisk {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static mount(path: string): PrivateDisk | null {
    if (process.env[PRIVATE_MOUNTS] === undefined) return null;
    return run("mount", "-t", "tmpfs", "-o", `size=${SIZE},mode=0700`, "tmpfs", path) ? new PrivateDisk(path) : null;
  }

  /** Not a page is left. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.#path);
    const ballast = join(this.#path, BALLAST);
    // Quickly to nearly all of it, then page by page: others write meanwhile.
    run("fallocate", "-l", String(Math.max(bsize, (bavail - NEARLY_PAGES) * bsize)), ballast);
    const file = openSync(ballast, "a");
    try {
      for (let page = 0; page <= 2 * NEARLY_PAGES; page++) writeSync(file, new Uint8Array(bsize));
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, "code") !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(join(this.#path, BALLAST), { force: true });
  }

  /** For whoever opens a file from now on; what is open stays open. */
  setReadOnly(): boolean {
    return run("mount", "--bind", this.#path, this.#path) && run("mount", "-o", "remount,ro,bind", this.#path);
  }

  setWritable(): void {
    run("umount", "-l", this.#path);
  }

  unmount(): void {
    run("umount", "-l", this.#path);
  }
}

function run(...command: string[]): boolean {
  return Bun.spawnSync(command, { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).success;
}

/** Runs the same command again where its mounts are private; null where the system does not allow that. */
export function commandWithPrivateMounts(command: readonly string[]): string[] | null {
  if (Bun.which("unshare") === null || !run("unshare", "--mount", "true")) return null;
  return ["unshare", "--mount", ...command];
}
