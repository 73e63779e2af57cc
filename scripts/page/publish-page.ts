import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A server that is running, or an open tab, may still request files of the previous page. */
const KEEP_REPLACED_FILES_MS = 24 * 60 * 60 * 1_000;

/**
 * Moves a finished page from `stage` into `dist`, the manifest last: a reader of the manifest, at any moment and beside
 * any other build, finds every file it names. Hashed names never clash with different content.
 */
export async function publishPage(stage: string, dist: string): Promise<void> {
  const files = await filesIn(stage);
  for (const file of [...files.filter((path) => path !== "manifest.json"), "manifest.json"]) {
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await rename(join(stage, file), join(dist, file));
  }
  await rm(stage, { recursive: true });
  await removeReplaced(dist, new Set(files));
}

async function removeReplaced(dist: string, current: ReadonlySet<string>): Promise<void> {
  const newest = (await stat(join(dist, "manifest.json"))).mtimeMs;
  for (const file of await filesIn(dist)) {
    if (current.has(file)) continue;
    const found = await stat(join(dist, file)).catch(() => undefined);
    if (found && found.mtimeMs < newest - KEEP_REPLACED_FILES_MS) await rm(join(dist, file), { force: true });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name).slice(folder.length + 1) : []));
}
