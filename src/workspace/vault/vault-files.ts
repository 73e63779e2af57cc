import { lstat, readdir, readFile, readlink, rename, writeFile } from "node:fs/promises";
import { untilNoProcess } from "../git/running-processes.ts";

export function exists(path: string | Buffer): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Replaces a file in one step, so that a reader sees the old or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true, mode: 0o600 });
  await rename(`${path}.new`, path);
}

export function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return null;
    throw error;
  });
}

/** Waits until no process of this machine has the file open, or until it is gone; false when one still has. */
export async function untilClosed(path: string, waitMsMax: number): Promise<boolean> {
  const hasOpen = async (id: string) => {
    if (!(await exists(path))) return false;
    const files = await readdir(`/proc/${id}/fd`).catch(() => []);
    const names = await Promise.all(files.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => "")));
    return names.includes(path);
  };
  return untilNoProcess(hasOpen, waitMsMax);
}

/** Waits until no process of another server has this in its environment; false when one still does. */
export async function untilOrphansEnd(variable: string, waitMsMax: number): Promise<boolean> {
  const isOrphan = async (id: string) => {
    const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
    return environment.split("\0").includes(variable) && !(await isOurs(id));
  };
  return untilNoProcess(isOrphan, waitMsMax);
}

/** Started by this process, or by one that was. */
async function isOurs(id: string): Promise<boolean> {
  if (id === String(process.pid)) return true;
  const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
  const parent = /^PPid:\t([1-9]\d*)$/m.exec(status)?.[1];
  return parent !== undefined && isOurs(parent);
}
