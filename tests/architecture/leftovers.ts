import type { Node } from "oxc-parser";
import { placeOf, type SourceFile, visit } from "./source-file.ts";

const MARKER = /\b(TODO|FIXME|XXX|HACK)\b/;

/** Notes to self: a task belongs into an issue, a limit into the documents. */
export function leftoverMarkers(file: SourceFile): string[] {
  return file.comments.flatMap(({ value, start }) => {
    const marker = MARKER.exec(value)?.[0];
    return marker ? [`${placeOf(file, start)}: ${marker}; do it, or take it out`] : [];
  });
}

/** Files that only re-export hide where things are. */
export function barrels(file: SourceFile): string[] {
  const cure = "import from the file that defines it";
  const all = file.program.body.find((node) => node.type === "ExportAllDeclaration");
  if (all) return [`${placeOf(file, all.start)}: export * makes a barrel; ${cure}`];
  const passesOn = (node: Node) => node.type === "ExportNamedDeclaration" && node.source !== null;
  if (file.program.body.length > 0 && file.program.body.every(passesOn)) return [`${file.path}: is a barrel; ${cure}`];
  return /(^|\/)index\.\w+$/.test(file.path)
    ? [`${file.path}: index is a barrel's name; name it after its export`]
    : [];
}

/** Errors that vanish: `catch {}` and `.catch(() => {})`, with a comment inside or without. */
export function swallowedErrors(file: SourceFile): string[] {
  const found: string[] = [];
  const report = (start: number) =>
    found.push(`${placeOf(file, start)}: swallows an error; handle it, or say why it may go with ignore("reason")`);
  visit(file, {
    CatchClause: (node) => {
      if (node.body.body.length === 0) report(node.start);
    },
    CallExpression: ({ callee, arguments: args, start }) => {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      const reaction =
        callee.property.name === "catch" ? args[0] : callee.property.name === "then" ? args[1] : undefined;
      if (reaction?.type !== "ArrowFunctionExpression" && reaction?.type !== "FunctionExpression") return;
      if (reaction.body?.type === "BlockStatement" && reaction.body.body.length === 0) report(start);
    },
  });
  return found;
}
