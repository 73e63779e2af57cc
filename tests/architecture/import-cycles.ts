import { importsOf } from "./imports-of.ts";
import type { SourceFile } from "./source-file.ts";

/** Each loop once, as the way round it; type imports close a loop too. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => target ?? [])]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const loop = trail.indexOf(path);
    if (loop >= 0) {
      cycles.push(`${[...trail.slice(loop), path].join(" -> ")}: put what both need into a file below them`);
      return;
    }
    if (finished.has(path)) return;
    for (const target of imports.get(path) ?? []) walk(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of imports.keys()) walk(path, []);
  return cycles;
}
