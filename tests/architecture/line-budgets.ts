import type { Node } from "oxc-parser";
import { lineOf, placeOf, type SourceFile, visit } from "./source-file.ts";

export const FILE_LINES_MAX = 300;
export const FUNCTION_LINES_MAX = 60;

/** A file that may be longer than the budget, up to `lines`, because of `reason`; or one whose functions may. */
export type BudgetException = {
  readonly path: string;
  readonly of: "file" | "function";
  readonly lines: number;
  readonly reason: string;
};

type Excess = {
  readonly path: string;
  readonly of: "file" | "function";
  readonly lines: number;
  readonly place: string;
};

/** What is over its budget, and exceptions that are no longer needed: the list may only shrink. */
export function overBudget(files: readonly SourceFile[], exceptions: readonly BudgetException[]): string[] {
  const excesses = files.flatMap((file) => [...longFile(file), ...longFunctions(file)]);
  const covers = (exception: BudgetException, excess: Excess) =>
    exception.path === excess.path && exception.of === excess.of && excess.lines <= exception.lines;
  return [
    ...excesses
      .filter((excess) => !exceptions.some((exception) => covers(exception, excess)))
      .map(
        ({ place, of, lines }) =>
          `${place}: ${of} of ${lines} lines; split it by verb, or add an exception with its reason`,
      ),
    ...exceptions
      .filter((exception) => !excesses.some((excess) => covers(exception, excess)))
      .map(({ path, of }) => `${path}: the exception for its ${of} is no longer needed; remove it from the list`),
  ];
}

function longFile({ path, text }: SourceFile): Excess[] {
  const lines = text.trimEnd().split("\n").length;
  return lines > FILE_LINES_MAX ? [{ path, of: "file", lines, place: path }] : [];
}

function longFunctions(file: SourceFile): Excess[] {
  const found: Excess[] = [];
  const chapters = new Set<Node>();
  const measure = (node: Node): void => {
    const lines = lineOf(file, node.end) - lineOf(file, node.start) + 1;
    if (lines <= FUNCTION_LINES_MAX || chapters.has(node)) return;
    found.push({ path: file.path, of: "function", lines, place: placeOf(file, node.start) });
  };
  visit(file, {
    // The body of a `describe` is a table of contents, not a function.
    CallExpression: ({ callee, arguments: args }) => {
      if (callee.type === "Identifier" && callee.name === "describe") for (const body of args) chapters.add(body);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  });
  return found;
}
