import type { InlineNode } from "./markdown-node.ts";

/** What is left of inline content without its marks: alternative texts, and the check that a repair does not show. */
export function plainText(nodes: readonly InlineNode[]): string {
  return nodes.map(textOf).join("");
}

function textOf(node: InlineNode): string {
  switch (node.kind) {
    case "text":
    case "code-span":
      return node.text;
    case "line-break":
      return "\n";
    case "image":
      return node.alt;
    case "strong":
    case "emphasis":
    case "strikethrough":
    case "link":
    case "path":
      return plainText(node.children);
    default:
      return node satisfies never;
  }
}
