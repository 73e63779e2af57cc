// The shape of the code in figures: npm run map [-- <root>]. It prints; the architecture test decides.
import { dirname, resolve } from "node:path";
import { folderCycles } from "./folder-cycles.ts";
import { importsOf } from "./imports-of.ts";
import { isProduct, readSources, type SourceFile, visit } from "./source-file.ts";

/** A file this short, used by one file beside it, is likely a fragment of that file. */
const FRAGMENT_LINES_MAX = 40;

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/../..`);
const files = readSources(root).filter(({ path }) => isProduct(path));
const importers = importersOf(files);
const lengths = files.map(linesOf).sort((a, b) => a - b);
const usedOnce = files.filter(({ path }) => importers.get(path)?.size === 1);
const fragments = usedOnce.filter((file) => {
  const [importer = ""] = importers.get(file.path) ?? [];
  return dirname(importer) === dirname(file.path) && linesOf(file) <= FRAGMENT_LINES_MAX;
});
const cycles = folderCycles(files);

printTable([
  ["files", files.length],
  ["lines", lengths.reduce((total, lines) => total + lines, 0)],
  ["lines per file: median / p90 / max", `${quantile(0.5)} / ${quantile(0.9)} / ${quantile(1)}`],
  ["exports per file", (files.reduce((total, file) => total + exportsOf(file), 0) / files.length).toFixed(1)],
  ["imported by exactly one file", percent(usedOnce.length)],
  [`of these: same folder, ${FRAGMENT_LINES_MAX} lines or fewer`, `${fragments.length} (${percent(fragments.length)})`],
  ["folder cycles", cycles.length],
]);
console.log("\nfiles and lines by folder");
printTable(byFolder());
for (const cycle of cycles) console.log(`cycle: ${cycle.join(", ")}`);
if (process.argv.includes("--fragments")) for (const { path } of fragments) console.log(`fragment: ${path}`);

function importersOf(sources: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of sources)
    for (const { target } of importsOf(file)) {
      if (target === undefined) continue;
      const known = found.get(target) ?? new Set();
      found.set(target, known.add(file.path));
    }
  return found;
}

function linesOf({ text }: SourceFile): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** Names a file exports; a re-export of everything counts as one. */
function exportsOf(file: SourceFile): number {
  let count = 0;
  visit(file, {
    ExportNamedDeclaration: ({ declaration, specifiers }) => {
      count += declaration?.type === "VariableDeclaration" ? declaration.declarations.length : declaration ? 1 : 0;
      count += specifiers.length;
    },
    ExportDefaultDeclaration: () => {
      count += 1;
    },
    ExportAllDeclaration: () => {
      count += 1;
    },
  });
  return count;
}

function byFolder(): [string, string][] {
  const folders = new Map<string, SourceFile[]>();
  for (const file of files) {
    const [first = "", second = ""] = file.path.split("/");
    const folder = first === "src" ? `src/${second}` : first;
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].map(([folder, inside]) => [
    folder,
    `${inside.length} files, ${inside.reduce((total, file) => total + linesOf(file), 0)} lines`,
  ]);
}

function quantile(share: number): number {
  return lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))] ?? 0;
}

function percent(count: number): string {
  return `${Math.round((100 * count) / files.length)}%`;
}

function printTable(rows: readonly (readonly [string, string | number])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`);
}
