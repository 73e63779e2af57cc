import { posix } from "node:path";
import type { Node } from "oxc-parser";
import { placeOf, type SourceFile, visit } from "./source-file.ts";

/** One import, re-export, `import()` or `require()`, of values or of types. */
export type Import = {
  readonly specifier: string;
  readonly place: string;
  /** The repository path it leads to; packages and built-in modules have none. */
  readonly target: string | undefined;
};

/** By file: several rules look at them, and a walk through all sources takes seconds on a busy machine. */
const known = new WeakMap<SourceFile, readonly Import[]>();

/** Everything a file pulls in, types included: an arrow that only the compiler follows is still an arrow. */
export function importsOf(file: SourceFile): readonly Import[] {
  const found = known.get(file) ?? lookUp(file);
  known.set(file, found);
  return found;
}

function lookUp(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  const add = (source: Node | null | undefined): void => {
    if (source?.type !== "Literal" || typeof source.value !== "string") return;
    const specifier = source.value;
    found.push({ specifier, place: placeOf(file, source.start), target: targetOf(file.path, specifier) });
  };
  visit(file, {
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "require") add(node.arguments[0]);
    },
  });
  return found;
}

function targetOf(path: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
}
