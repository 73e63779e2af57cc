import type { Node } from "oxc-parser";
import { isProduct, placeOf, type SourceFile, visit } from "./source-file.ts";

/** Doors through which an agent's text could become markup or code. */
const DOORS = new Set([
  "innerHTML",
  "outerHTML",
  "insertAdjacentHTML",
  "dangerouslySetInnerHTML",
  "srcdoc",
  "createContextualFragment",
  "setHTMLUnsafe",
  "parseHTMLUnsafe",
  "DOMParser",
]);
const CODE_FROM_TEXT = new Set(["eval", "Function"]);

/** Ways to turn text into markup or code, anywhere in the page, by whatever spelling of the property. */
export function pageDangers(file: SourceFile): string[] {
  if (!/^src\/(page|frame|ui)\//.test(file.path) || !isProduct(file.path)) return [];
  const found: string[] = [];
  const report = (name: string, { start }: Node) =>
    found.push(`${placeOf(file, start)}: ${name}; build nodes and set textContent, an agent's text is never trusted`);
  const door = (name: unknown, node: Node) => {
    if (typeof name === "string" && DOORS.has(name)) report(name, node);
  };
  const runsText = (callee: Node) => {
    const name = callee.type === "MemberExpression" ? callee.property : callee;
    if (name.type === "Identifier" && CODE_FROM_TEXT.has(name.name)) report(name.name, callee);
  };
  visit(file, {
    Identifier: (node) => door(node.name, node),
    JSXIdentifier: (node) => door(node.name, node),
    Literal: (node) => door(node.value, node),
    CallExpression: (node) => runsText(node.callee),
    NewExpression: (node) => runsText(node.callee),
    MemberExpression: (node) => {
      const isDocument = node.object.type === "Identifier" && node.object.name === "document";
      if (isDocument && node.property.type === "Identifier" && /^write(ln)?$/.test(node.property.name)) {
        report(`document.${node.property.name}`, node);
      }
    },
  });
  return found;
}
