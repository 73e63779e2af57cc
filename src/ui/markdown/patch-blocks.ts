import { fileLanguageId } from "../../presentation/code-languages.ts";
import type { BlockNode, CellAlign, InlineNode, LinkNode, ListItemNode, ListNode, TableNode } from "./markdown-node.ts";
import { createCodeBlock, patchCodeBlock } from "./patch-code.ts";
import { type NodePatcher, patchSequence, patchText } from "./patch-sequence.ts";
import { dumpText, fillDump, patchDump } from "./text-chunks.ts";
import { markZoomable } from "./zoomable-image.ts";

/** Shows blocks. A node that keeps its kind keeps its DOM node. */
export class BlockPatcher implements NodePatcher<BlockNode> {
  readonly #inlines: InlinePatcher;
  readonly #tables: TablePatcher;
  readonly #items: NodePatcher<ListItemNode>;

  constructor(canOpenPaths: boolean) {
    this.#inlines = new InlinePatcher(canOpenPaths);
    this.#tables = new TablePatcher(this.#inlines);
    this.#items = {
      create: (item) => this.#createItem(item),
      patch: (dom, before, after) => this.#patchItem(dom, before, after),
    };
  }

  create(node: BlockNode): HTMLElement {
    switch (node.kind) {
      case "paragraph":
        return this.#createParagraph(node.children);
      case "heading":
        return this.#inlines.fill(document.createElement(`h${node.level}`), node.children);
      case "code":
        return createCodeBlock(node);
      case "quote": {
        const dom = document.createElement("blockquote");
        dom.append(...node.children.map((child) => this.create(child)));
        return dom;
      }
      case "list":
        return this.#createList(node);
      case "table":
        return this.#tables.create(node);
      case "rule":
        return document.createElement("hr");
      case "html": {
        const dom = document.createElement("p");
        dom.className = "raw-html";
        dom.append(node.text);
        return dom;
      }
      default:
        return node satisfies never;
    }
  }

  patch(dom: ChildNode, before: BlockNode, after: BlockNode): boolean {
    switch (after.kind) {
      case "paragraph":
        return before.kind === "paragraph" && this.#patchParagraph(dom, before.children, after.children);
      case "heading":
        if (before.kind !== "heading" || before.level !== after.level) return false;
        this.#inlines.patchChildren(dom, before.children, after.children);
        return true;
      case "code":
        return before.kind === "code" && patchCodeBlock(dom, before, after);
      case "quote":
        if (before.kind !== "quote") return false;
        patchSequence(dom, dom.firstChild, before.children, after.children, this);
        return true;
      case "list":
        return before.kind === "list" && this.#patchList(dom, before, after);
      case "table":
        return before.kind === "table" && this.#tables.patch(dom, before, after);
      case "rule":
        return before.kind === "rule";
      case "html": {
        const text = dom.firstChild;
        if (before.kind !== "html" || !(text instanceof Text)) return false;
        patchText(text, before.text, after.text);
        return true;
      }
      default:
        return after satisfies never;
    }
  }

  #createParagraph(children: readonly InlineNode[]): HTMLElement {
    const dom = document.createElement("p");
    const dump = dumpText(children);
    return dump === null ? this.#inlines.fill(dom, children) : fillDump(dom, dump);
  }

  #patchParagraph(dom: ChildNode, before: readonly InlineNode[], after: readonly InlineNode[]): boolean {
    const dump = dumpText(after);
    if (dump === null) {
      if (dumpText(before) !== null) return false;
      this.#inlines.patchChildren(dom, before, after);
      return true;
    }
    const [only] = before;
    if (before.length !== 1 || only?.kind !== "text" || !(dom instanceof HTMLElement)) return false;
    if (before !== after) patchDump(dom, only.text, dump);
    return true;
  }

  #createList(node: ListNode): HTMLElement {
    const dom = document.createElement(node.ordered ? "ol" : "ul");
    if (dom instanceof HTMLOListElement && node.start !== 1) dom.start = node.start;
    setLoose(dom, node.loose);
    dom.append(...node.items.map((item) => this.#createItem(item)));
    return dom;
  }

  #patchList(dom: ChildNode, before: ListNode, after: ListNode): boolean {
    if (before.ordered !== after.ordered || before.start !== after.start || !(dom instanceof HTMLElement)) return false;
    if (before.loose !== after.loose) setLoose(dom, after.loose);
    patchSequence(dom, dom.firstChild, before.items, after.items, this.#items);
    return true;
  }

  /** Items contain paragraphs, tight or not: a blank line further down changes a class and no node. */
  #createItem(item: ListItemNode): HTMLElement {
    const dom = document.createElement("li");
    if (item.task !== null) {
      dom.className = "task";
      dom.append(createCheckbox(item.task === "done"));
    }
    dom.append(...item.children.map((child) => this.create(child)));
    return dom;
  }

  #patchItem(dom: ChildNode, before: ListItemNode, after: ListItemNode): boolean {
    if (before.task !== after.task) return false;
    const first = after.task === null ? dom.firstChild : (dom.firstChild?.nextSibling ?? null);
    patchSequence(dom, first, before.children, after.children, this);
    return true;
  }
}

function setLoose(dom: HTMLElement, isLoose: boolean): void {
  dom.className = isLoose ? "loose" : "tight";
}

function createCheckbox(isDone: boolean): HTMLInputElement {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.disabled = true;
  box.defaultChecked = isDone;
  box.setAttribute("aria-label", isDone ? "Done" : "To do");
  return box;
}

type Row = readonly Cell[];
type Cell = readonly InlineNode[];

/** Shows a table in a container that scrolls if the table is wider than the column. */
class TablePatcher {
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

/** Columns are added while a header arrives; an existing cell keeps its alignment, so only a change needs a new table. */
function isSameAlign(before: readonly CellAlign[], after: readonly CellAlign[]): boolean {
  return before.length === after.length && before.every((align, column) => align === after[column]);
}

const TAGS = { strong: "strong", emphasis: "em", strikethrough: "del" } as const;

/** Shows inline content. Every node is created by name; there is no markup string that could be parsed. */
class InlinePatcher implements NodePatcher<InlineNode> {
  readonly #canOpenPaths: boolean;
  /** For what is inside a link: it holds no other one. */
  readonly #linked: InlinePatcher;

  /** Without a handler for files, a path is text and not a button without effect. */
  constructor(canOpenPaths: boolean) {
    this.#canOpenPaths = canOpenPaths;
    this.#linked = canOpenPaths ? new InlinePatcher(false) : this;
  }

  create(node: InlineNode): ChildNode {
    switch (node.kind) {
      case "text":
        return document.createTextNode(node.text);
      case "code-span": {
        const code = document.createElement("code");
        code.append(node.text);
        this.#markPath(code, node.text);
        return code;
      }
      case "line-break":
        return document.createElement("br");
      case "strong":
      case "emphasis":
      case "strikethrough":
        return this.fill(document.createElement(TAGS[node.kind]), node.children);
      case "link":
        return this.#linked.fill(createLink(node), node.children);
      case "path":
        return this.#linked.fill(this.#createPath(node.path), node.children);
      case "image":
        return createImage(node);
      default:
        return node satisfies never;
    }
  }

  patch(dom: ChildNode, before: InlineNode, after: InlineNode): boolean {
    switch (after.kind) {
      case "text":
        if (before.kind !== "text" || !(dom instanceof Text)) return false;
        patchText(dom, before.text, after.text);
        return true;
      case "code-span": {
        const text = dom.firstChild;
        if (before.kind !== "code-span" || !(text instanceof Text) || !(dom instanceof HTMLElement)) return false;
        patchText(text, before.text, after.text);
        this.#markPath(dom, after.text);
        return true;
      }
      case "line-break":
        return before.kind === "line-break";
      case "strong":
      case "emphasis":
      case "strikethrough":
        if (before.kind !== after.kind) return false;
        this.patchChildren(dom, before.children, after.children);
        return true;
      case "link":
        if (before.kind !== "link" || !(dom instanceof HTMLAnchorElement)) return false;
        if (before.href !== after.href || before.title !== after.title) setAddress(dom, after);
        this.#linked.patchChildren(dom, before.children, after.children);
        return true;
      case "path":
        if (before.kind !== "path" || !(dom instanceof HTMLElement)) return false;
        if (before.path !== after.path) setPath(dom, after.path);
        this.#linked.patchChildren(dom, before.children, after.children);
        return true;
      case "image":
        return before.kind === "image" && isSameImage(before, after);
      default:
        return after satisfies never;
    }
  }

  patchChildren(dom: ChildNode, before: readonly InlineNode[], after: readonly InlineNode[]): void {
    if (before !== after) patchSequence(dom, dom.firstChild, before, after, this);
  }

  fill<T extends HTMLElement>(dom: T, children: readonly InlineNode[]): T {
    dom.append(...children.map((child) => this.create(child)));
    return dom;
  }

  /** Code that looks like the path of a file can be opened like a link to it. */
  #markPath(code: HTMLElement, text: string): void {
    const isPath = this.#canOpenPaths && looksLikePath(text);
    code.classList.toggle("path-link", isPath);
    if (!isPath && code.dataset["path"] === undefined) return;
    if (isPath) {
      setPath(code, text);
      code.tabIndex = 0;
      code.setAttribute("role", "link");
    } else for (const name of ["data-path", "title", "tabindex", "role", "class"]) code.removeAttribute(name);
  }

  #createPath(path: string): HTMLElement {
    const dom = document.createElement(this.#canOpenPaths ? "button" : "span");
    if (dom instanceof HTMLButtonElement) dom.type = "button";
    dom.className = "path-link";
    setPath(dom, path);
    return dom;
  }
}

const PATH_CHARS_MAX = 300;
/** A name with an ending, directories before it, a line behind it; no spaces and nothing that code has. */
const PATH = /^(?:[\w.@+-]+\/)*[\w.@+-]*\.[A-Za-z][A-Za-z0-9]*(?::\d+(?::\d+)?(?:-\d+)?)?$/;

/** `src/a.ts`, `a.ts:9`: an ending that files have, or a directory or line beside it. `Date.now` is none. */
function looksLikePath(text: string): boolean {
  if (text.length > PATH_CHARS_MAX || !PATH.test(text)) return false;
  const bare = text.replace(/:[\d:-]+$/, "");
  return bare !== text || bare.includes("/") || (fileLanguageId(bare) !== null && !/.\.env$/.test(bare));
}

function setPath(dom: HTMLElement, path: string): void {
  dom.dataset["path"] = path;
  dom.title = path;
}

function createLink(node: LinkNode): HTMLAnchorElement {
  const dom = document.createElement("a");
  setAddress(dom, node);
  return dom;
}

/** An incomplete address gives a link without a target; the element stays when the address arrives. */
function setAddress(dom: HTMLAnchorElement, node: LinkNode): void {
  if (node.href === null) {
    for (const name of ["href", "rel", "target"]) dom.removeAttribute(name);
  } else {
    dom.href = node.href;
    dom.rel = "noopener noreferrer";
    dom.target = "_blank";
  }
  if (node.title === "") dom.removeAttribute("title");
  else dom.title = node.title;
}

type ImageNode = Extract<InlineNode, { kind: "image" }>;

function createImage(node: ImageNode): HTMLImageElement {
  const dom = document.createElement("img");
  dom.alt = node.alt;
  if (node.title !== "") dom.title = node.title;
  dom.src = node.source;
  markZoomable(dom);
  return dom;
}

function isSameImage(before: ImageNode, after: ImageNode): boolean {
  return before.source === after.source && before.alt === after.alt && before.title === after.title;
}
