import type { CellAlign, InlineNode, TableNode } from "./markdown-node.ts";
import type { InlinePatcher } from "./patch-inlines.ts";
import { type NodePatcher, patchSequence } from "./patch-sequence.ts";

type Row = readonly Cell[];
type Cell = readonly InlineNode[];

/** Shows a table in a frame of its own that scrolls when the table is wider than the column. */
export class TablePatcher {
  readonly #inlines: InlinePatcher;

  constructor(inlines: InlinePatcher) {
    this.#inlines = inlines;
  }

  create(node: TableNode): HTMLElement {
    const head = document.createElement("thead");
    const body = document.createElement("tbody");
    head.append(this.#rows(node.align, "th").create(node.header));
    body.append(...node.rows.map((row) => this.#rows(node.align, "td").create(row)));
    const table = document.createElement("table");
    table.append(head, body);
    const frame = document.createElement("div");
    frame.className = "table-wrap";
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "Table");
    frame.append(table);
    return frame;
  }

  patch(dom: ChildNode, before: TableNode, after: TableNode): boolean {
    const table = dom.firstChild;
    if (!(table instanceof HTMLTableElement) || !isSameAlign(before.align, after.align)) return false;
    const body = table.tBodies[0];
    if (table.tHead === null || body === undefined) return false;
    patchSequence(table.tHead, table.tHead.firstChild, [before.header], [after.header], this.#rows(after.align, "th"));
    patchSequence(body, body.firstChild, before.rows, after.rows, this.#rows(after.align, "td"));
    return true;
  }

  #rows(align: readonly CellAlign[], tag: "th" | "td"): NodePatcher<Row> {
    return {
      create: (row) => {
        const dom = document.createElement("tr");
        dom.append(...row.map((cell, column) => this.#inlines.fill(createCell(tag, align[column] ?? null), cell)));
        return dom;
      },
      patch: (dom, before, after) => {
        if (before.length !== after.length) return false;
        let cell = dom.firstChild;
        for (const [column, content] of after.entries()) {
          if (cell === null) return false;
          this.#inlines.patchChildren(cell, before[column] ?? [], content);
          cell = cell.nextSibling;
        }
        return true;
      },
    };
  }
}

function createCell(tag: "th" | "td", align: CellAlign): HTMLTableCellElement {
  const cell = document.createElement(tag);
  if (tag === "th") cell.scope = "col";
  if (align === "right") cell.className = "num";
  if (align === "center") cell.className = "center";
  return cell;
}

/** Columns are added while a header arrives; a cell that exists keeps its alignment, so only a change needs a new table. */
function isSameAlign(before: readonly CellAlign[], after: readonly CellAlign[]): boolean {
  return before.length === after.length && before.every((align, column) => align === after[column]);
}
