import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Everything below a folder in which other processes write, directories too; what is gone meanwhile is left out. */
export function pathsIn(folder: string): readonly string[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...pathsIn(path)] : [path];
  });
}

/** Likewise the files alone. */
export function filesIn(folder: string): readonly string[] {
  return pathsIn(folder).filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** Null for a file that has another name by now, or none. */
export function bytesIfThere(path: string): Buffer | null {
  return ifThere(() => readFileSync(path));
}

function ifThere<Value>(look: () => Value): Value | null {
  try {
    return look();
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}
