import { readdir, readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";

const LOOK_EVERY_MS = 100;

/**
 * Waits until no process of this machine is one of these, by its id; false when one still is. Git goes on when only the
 * server is killed. Where the system has no `/proc`, nothing can be told, and nothing is waited for.
 */
export async function untilNoProcess(isOne: (id: string) => Promise<boolean>, waitMsMax: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += LOOK_EVERY_MS) {
    const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
    if (!(await Promise.all(ids.map(isOne))).includes(true)) return true;
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Waits until no Git works in one of the directories or was given one; false when one still does. */
export function untilNoGitIn(directories: readonly string[], waitMsMax: number): Promise<boolean> {
  const worksThere = async (id: string) => {
    const words = (await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (!basename(words[0] ?? "").startsWith("git")) return false;
    const cwd = await readlink(`/proc/${id}/cwd`).catch(() => "");
    return directories.some((place) => words.includes(place) || cwd === place || cwd.startsWith(`${place}/`));
  };
  return untilNoProcess(worksThere, waitMsMax);
}
