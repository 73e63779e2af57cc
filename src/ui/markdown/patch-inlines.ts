import type { InlineNode, LinkNode } from "./markdown-node.ts";
import { type NodePatcher, patchSequence, patchText } from "./patch-sequence.ts";
import { markZoomable } from "./zoomable-image.ts";

const TAGS = { strong: "strong", emphasis: "em", strikethrough: "del" } as const;

/** Shows inline content. Every node is made by name; no markup string exists that could be parsed. */
export class InlinePatcher implements NodePatcher<InlineNode> {
  readonly #canOpenPaths: boolean;

  /** Without a way to open files, a path is text and not a button that does nothing. */
  constructor(canOpenPaths: boolean) {
    this.#canOpenPaths = canOpenPaths;
  }

  create(node: InlineNode): ChildNode {
    switch (node.kind) {
      case "text":
        return document.createTextNode(node.text);
      case "code-span": {
        const code = document.createElement("code");
        code.append(node.text);
        return code;
      }
      case "line-break":
        return document.createElement("br");
      case "strong":
      case "emphasis":
      case "strikethrough":
        return this.fill(document.createElement(TAGS[node.kind]), node.children);
      case "link":
        return this.fill(createLink(node), node.children);
      case "path":
        return this.fill(this.#createPath(node.path), node.children);
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
        if (before.kind !== "code-span" || !(text instanceof Text)) return false;
        patchText(text, before.text, after.text);
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
        this.patchChildren(dom, before.children, after.children);
        return true;
      case "path":
        if (before.kind !== "path" || !(dom instanceof HTMLElement)) return false;
        if (before.path !== after.path) setPath(dom, after.path);
        this.patchChildren(dom, before.children, after.children);
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

  #createPath(path: string): HTMLElement {
    const dom = document.createElement(this.#canOpenPaths ? "button" : "span");
    if (dom instanceof HTMLButtonElement) dom.type = "button";
    dom.className = "path-link";
    setPath(dom, path);
    return dom;
  }
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

/** An address that has not arrived leaves a link that leads nowhere yet; the element stays when it comes. */
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
