import { link, mkdir, readdir, readFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";

const ALTERNATES_DEPTH_MAX = 5;
const OBJECTS_MAX = 500_000;

/**
 * Gives the vault the objects of the user's repository by hard links. Git never changes an object file, and removing
 * one from the user's repository leaves ours. Where links are impossible (another file system), nothing is linked:
 * a scan then stores what it needs.
 */
export async function linkObjects(from: string, to: string): Promise<void> {
  let left = OBJECTS_MAX;
  const linkAll = async (source: string, target: string, wanted: RegExp): Promise<boolean> => {
    const names = (await readdir(source).catch(() => [])).filter((name) => wanted.test(name)).slice(0, left);
    if (names.length === 0) return true;
    left -= names.length;
    await mkdir(target, { recursive: true, mode: 0o700 });
    for (const name of names) {
      const failed = await link(join(source, name), join(target, name)).then(() => null, codeOf);
      if (failed !== null && failed !== "EEXIST" && failed !== "ENOENT") return false;
    }
    return true;
  };
  for (const store of await withAlternates(from, ALTERNATES_DEPTH_MAX)) {
    // A pack without its index is not used, so the packs come first.
    if (!(await linkAll(join(store, "pack"), join(to, "pack"), /^pack-[0-9a-f]+\.pack$/))) return;
    if (!(await linkAll(join(store, "pack"), join(to, "pack"), /^pack-[0-9a-f]+\.idx$/))) return;
    const fans = (await readdir(store).catch(() => [])).filter((name) => /^[0-9a-f]{2}$/.test(name));
    for (const fan of fans) if (!(await linkAll(join(store, fan), join(to, fan), /^[0-9a-f]{38,62}$/))) return;
  }
}

async function withAlternates(store: string, depthMax: number): Promise<string[]> {
  if (depthMax === 0) return [store];
  const list = await readFile(join(store, "info/alternates"), "utf8").catch(() => "");
  const others = list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const below = others.map((path) => withAlternates(isAbsolute(path) ? path : resolve(store, path), depthMax - 1));
  return [store, ...(await Promise.all(below)).flat()];
}

function codeOf(error: unknown): string {
  return String(error instanceof Error ? Reflect.get(error, "code") : error);
}
