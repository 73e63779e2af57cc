import { chmod, lstat, readdir, readFile, rmdir, unlink } from "node:fs/promises";
import { ignore } from "../../lib/ignore.ts";
import { refused } from "./registration.ts";

const AT_ONCE = 32;

/**
 * Deletes a directory for good. Links are deleted, not followed. Refused before anything is deleted when another file
 * system is mounted in it. The file `last` goes last: one whose deletion was cut off is known by it.
 */
export async function deleteDirectory(path: string, last: string): Promise<void> {
  await refuseMounts(path);
  const place = Buffer.from(path);
  const { dev } = await lstat(place, { bigint: true });
  await checkDevice(place, dev);
  await deleteInside(place, dev, last);
  await rmdir(place);
}

/** Refused when something is mounted at the path or below: deleting or moving it would reach into another file system. */
export async function refuseMounts(path: string, list = "/proc/self/mountinfo"): Promise<void> {
  const lines = (await readFile(list, "utf8").catch(() => "")).split("\n");
  // The fifth word is the place; characters such as spaces are octal numbers.
  const places = lines.map((line) =>
    (line.split(" ")[4] ?? "").replace(/\\(\d{3})/g, (_, digits: string) => octal(digits)),
  );
  const mounted = places.find((place) => place === path || place.startsWith(`${path}/`));
  if (mounted !== undefined)
    throw refused(`Another file system is mounted at ${mounted}. Unmount it first; nothing was changed.`);
}

const octal = (digits: string) => String.fromCharCode(Number.parseInt(digits, 8));

async function checkDevice(place: Buffer, device: bigint): Promise<void> {
  for (const { path, stats } of await entriesOf(place)) {
    if (!stats.isDirectory()) continue;
    if (stats.dev !== device)
      throw refused(`Another file system is mounted at ${path.toString()}. Unmount it first; nothing was deleted.`);
    await checkDevice(path, device);
  }
}

async function deleteInside(place: Buffer, device: bigint, last: string | null): Promise<void> {
  const entries = await entriesOf(place);
  const isLast = ({ name }: { readonly name: string }) => name === last;
  const ordered = [...entries.filter((entry) => !isLast(entry)), ...entries.filter(isLast)];
  for (const { path, stats } of ordered.filter((entry) => entry.stats.isDirectory())) {
    if (stats.dev !== device) throw refused(`Another file system was mounted at ${path.toString()}. Unmount it first.`);
    await deleteInside(path, device, null);
    await rmdir(path);
  }
  const files = ordered.filter(({ stats }) => !stats.isDirectory());
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    await Promise.all(some.filter((file) => !isLast(file)).map(({ path }) => unlink(path)));
    for (const { path } of some.filter(isLast)) await unlink(path);
  }
}

async function entriesOf(place: Buffer) {
  const list = () => readdir(place, { encoding: "buffer" });
  // A directory that its owner may neither read nor write would keep what is in it.
  const { mode } = await lstat(place);
  if ((mode & 0o700) !== 0o700) await chmod(place, mode | 0o700).catch(ignore("reading or deleting it says why"));
  const names = (await list()).map((name) => Buffer.from(name));
  return Promise.all(
    names.map(async (name) => {
      const path = Buffer.concat([place, Buffer.from("/"), name]);
      return { name: name.toString("latin1"), path, stats: await lstat(path, { bigint: true }) };
    }),
  );
}
