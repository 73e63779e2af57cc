/** Inline content. Only kinds listed here can reach the page. */
export type InlineNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "strong" | "emphasis" | "strikethrough"; readonly children: readonly InlineNode[] }
  | { readonly kind: "code-span"; readonly text: string }
  | { readonly kind: "line-break" }
  | LinkNode
  | { readonly kind: "path"; readonly path: string; readonly children: readonly InlineNode[] }
  | { readonly kind: "image"; readonly source: string; readonly alt: string; readonly title: string };

/** `href` is null while the address is still arriving; the element exists already and gets it later. */
export interface LinkNode {
  readonly kind: "link";
  readonly href: string | null;
  readonly title: string;
  readonly children: readonly InlineNode[];
}

export type CellAlign = "left" | "center" | "right" | null;

/** Fenced or indented code. `text` may only grow, and only while its fence is open. */
export interface CodeNode {
  readonly kind: "code";
  readonly language: string;
  text: string;
}

export interface TableNode {
  readonly kind: "table";
  readonly align: readonly CellAlign[];
  readonly header: readonly (readonly InlineNode[])[];
  readonly rows: readonly (readonly (readonly InlineNode[])[])[];
}

export interface ListItemNode {
  readonly kind: "item";
  readonly task: "done" | "open" | null;
  readonly children: readonly BlockNode[];
}

export interface ListNode {
  readonly kind: "list";
  readonly ordered: boolean;
  readonly start: number;
  readonly loose: boolean;
  readonly items: readonly ListItemNode[];
}

/** Block content, top level or inside a quote or list item. `html` is raw HTML, which is shown as text. */
export type BlockNode =
  | { readonly kind: "paragraph"; readonly children: readonly InlineNode[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly InlineNode[] }
  | CodeNode
  | { readonly kind: "quote"; readonly children: readonly BlockNode[] }
  | ListNode
  | TableNode
  | { readonly kind: "rule" }
  | { readonly kind: "html"; readonly text: string };

/** Inline content without markup: alternative texts, and the check that a repair is not visible. */
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
