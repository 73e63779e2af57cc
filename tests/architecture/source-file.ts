import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { type Comment, type Program, parseSync, Visitor, type VisitorObject } from "oxc-parser";

/** One parsed source; paths are relative to the repository and use slashes. */
export type SourceFile = {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
};

const SOURCES = new Glob("{src,builtin-agent,tests,bench,scripts,bin}/**/*.{ts,tsx,mts,mjs}");

/** Parses text as the file it would be; code that does not parse is a finding of the compiler, not ours. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, comments } = parseSync(path, text);
  return { path, text, program, comments };
}

/** Every source of the repository, in a fixed order. */
export function readSources(root: string): SourceFile[] {
  return [...SOURCES.scanSync({ cwd: root })]
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
}

/** Walks the whole tree once. */
export function visit(file: SourceFile, visitor: VisitorObject): void {
  new Visitor(visitor).visit(file.program);
}

/** `path:line`, the form that editors and terminals can open. */
export function placeOf(file: SourceFile, offset: number): string {
  return `${file.path}:${lineOf(file, offset)}`;
}

/** The line, counted from one. */
function lineOf(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split("\n").length;
}

/** Tests may reach everything; nothing may reach them. */
export function isTest(path: string): boolean {
  return path.startsWith("tests/") || path.startsWith("bench/") || /\.test\.tsx?$/.test(path);
}

/** What runs at the user's: the rules of the product's code hold here. */
export function isProduct(path: string): boolean {
  return (path.startsWith("src/") || path.startsWith("builtin-agent/")) && !isTest(path);
}
