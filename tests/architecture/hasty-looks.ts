import type { Node } from "oxc-parser";
import { placeOf, type SourceFile, visit } from "./source-file.ts";

/** What Playwright answers at once, whether the page is done drawing or not. */
const AT_ONCE = new Set([
  "allInnerTexts",
  "allTextContents",
  "count",
  "isChecked",
  "isDisabled",
  "isEnabled",
  "isHidden",
  "isVisible",
]);

/** Where a browser test judges a page by one look: on a busy machine the look comes before what it looks for. */
export function hastyLooks(file: SourceFile): string[] {
  if (!file.path.endsWith(".browser.test.ts")) return [];
  const found: string[] = [];
  const look = (node: Node): string | undefined =>
    node.type === "AwaitExpression" &&
    node.argument.type === "CallExpression" &&
    node.argument.callee.type === "MemberExpression" &&
    node.argument.callee.property.type === "Identifier"
      ? node.argument.callee.property.name
      : undefined;
  visit(file, {
    CallExpression: ({ callee, arguments: [first], start }) => {
      if (callee.type !== "Identifier" || callee.name !== "expect" || first === undefined) return;
      const name = look(first);
      if (name !== undefined && AT_ONCE.has(name))
        found.push(`${placeOf(file, start)}: ${name}() looks once; write await expectSoon(() => ….${name}())`);
    },
  });
  return found;
}
