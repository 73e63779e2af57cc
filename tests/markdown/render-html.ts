import type { BlockNode, InlineNode, ListItemNode } from "../../src/ui/markdown/markdown-node.ts";

/** Writes nodes as the HTML the CommonMark specification uses in its examples, so that tests can quote it. */
export function renderHtml(blocks: readonly BlockNode[]): string {
  return blocks.map((block) => renderBlock(block, false)).join("\n");
}

function renderBlock(block: BlockNode, isTight: boolean): string {
  switch (block.kind) {
    case "paragraph":
      return isTight ? renderInlines(block.children) : `<p>${renderInlines(block.children)}</p>`;
    case "heading":
      return `<h${block.level}>${renderInlines(block.children)}</h${block.level}>`;
    case "code": {
      const language = block.language === "" ? "" : ` class="language-${escapeHtml(block.language)}"`;
      return `<pre><code${language}>${escapeHtml(block.text)}</code></pre>`;
    }
    case "quote":
      return `<blockquote>${block.children.map((child) => renderBlock(child, false)).join("")}</blockquote>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      const start = block.ordered && block.start !== 1 ? ` start="${block.start}"` : "";
      return `<${tag}${start}>${block.items.map((item) => renderItem(item, !block.loose)).join("")}</${tag}>`;
    }
    case "table":
      return renderTable(block);
    case "rule":
      return "<hr>";
    case "html":
      return `<p class="raw-html">${escapeHtml(block.text)}</p>`;
    default:
      return block satisfies never;
  }
}

function renderItem(item: ListItemNode, isTight: boolean): string {
  const task = item.task === null ? "" : item.task === "done" ? "[x] " : "[ ] ";
  return `<li>${task}${item.children.map((child) => renderBlock(child, isTight)).join("")}</li>`;
}

function renderTable(table: Extract<BlockNode, { kind: "table" }>): string {
  const row = (tag: string, cells: readonly (readonly InlineNode[])[]) =>
    `<tr>${cells.map((cell, column) => `<${tag}${renderAlign(table.align[column])}>${renderInlines(cell)}</${tag}>`).join("")}</tr>`;
  return `<table>${row("th", table.header)}${table.rows.map((cells) => row("td", cells)).join("")}</table>`;
}

function renderAlign(align: string | null | undefined): string {
  return align ? ` align="${align}"` : "";
}

function renderInlines(nodes: readonly InlineNode[]): string {
  return nodes.map(renderInline).join("");
}

function renderInline(node: InlineNode): string {
  switch (node.kind) {
    case "text":
      return escapeHtml(node.text);
    case "strong":
      return `<strong>${renderInlines(node.children)}</strong>`;
    case "emphasis":
      return `<em>${renderInlines(node.children)}</em>`;
    case "strikethrough":
      return `<del>${renderInlines(node.children)}</del>`;
    case "code-span":
      return `<code>${escapeHtml(node.text)}</code>`;
    case "line-break":
      return "<br>";
    case "link": {
      const title = node.title === "" ? "" : ` title="${escapeHtml(node.title)}"`;
      return `<a href="${node.href === null ? "…" : escapeHtml(node.href)}"${title}>${renderInlines(node.children)}</a>`;
    }
    case "path":
      return `<span data-path="${escapeHtml(node.path)}">${renderInlines(node.children)}</span>`;
    case "image":
      return `<img src="${escapeHtml(node.source)}" alt="${escapeHtml(node.alt)}">`;
    default:
      return node satisfies never;
  }
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
