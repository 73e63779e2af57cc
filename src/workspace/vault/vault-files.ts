import { lstat, readdir, readFile, readlink, rename, writeFile } from "node:fs/promises";

export function exists(path: string | Buffer): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Replaces a file in one step, so that a reader sees the old or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
}

export function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return null;
    throw error;
  });
}

const LOOK_EVERY_MS = 100;

/** Waits until no process of this machine has the file open, or until it is gone. */
export async function untilClosed(path: string, waitMsMax: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += LOOK_EVERY_MS) {
    if (!(await exists(path)) || !(await isOpen(path))) return;
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

async function isOpen(path: string): Promise<boolean> {
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lists = await Promise.all(
    processes.map(async (id) => {
      const files = await readdir(`/proc/${id}/fd`).catch(() => []);
      return Promise.all(files.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => "")));
    }),
  );
  return lists.some((files) => files.includes(path));
}
