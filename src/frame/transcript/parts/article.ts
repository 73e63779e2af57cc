import type { Part } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import { createBlockButton } from "../../../ui/markdown/block-button.ts";
import { createWholeButton } from "../../../ui/parts/block.ts";
import { createContentPart } from "../../../ui/parts/content-part.ts";
import type { Row } from "../rows.ts";

/** The element of every row: an article with its type, for screen readers, styles and tests. */
export function createArticle(type: string, className: string): HTMLElement {
  const article = createElement("article", `entry ${className}`);
  article.dataset["entryType"] = type;
  return article;
}

/** What all rows share: their position among the others and the id of their entry. */
export function markArticle(article: HTMLElement, row: Row): void {
  article.dataset["gap"] = row.gap;
  if (row.kind === "entry") article.dataset["entryId"] = row.entry.entryId;
}

const WORDS = { message: "Copy message", turn: "Copy turn" } as const;

/**
 * The actions of an entry, to copy it and to branch from it: visible on hover and keyboard focus. The frame handles the click by the button's data
 * attribute.
 */
export function createEntryActions(...kinds: readonly (keyof typeof WORDS)[]): HTMLElement {
  const buttons = kinds.map((kind) => {
    const button = createBlockButton("copy", WORDS[kind]);
    button.classList.add("small");
    button.dataset["copy"] = kind;
    if (kind === "turn") button.append(createElement("span", "", "Copy turn"));
    return button;
  });
  const branch = createBlockButton("fork", "Branch from here");
  branch.classList.add("small");
  branch.dataset["branch"] = "";
  return createElement("div", "entry-actions", ...buttons, branch);
}

/** Parts other than text, and texts too long for the entry, each with a link to all of it. */
export function createParts(parts: readonly Part[] | undefined, directory: string): HTMLElement[] {
  return (parts ?? []).flatMap((part, index) => (hasShape(part) ? createPart(part, index, directory) : []));
}

/** Text and terminal output are in the entry's own text; other parts have their own elements. */
export function hasShape(part: Part): boolean {
  return part.type === "text" ? part.truncated !== undefined : part.type !== "terminal";
}

function createPart(part: Part, index: number, directory: string): HTMLElement[] {
  const truncated = "truncated" in part ? part.truncated : undefined;
  return [createContentPart(part, { directory }), ...(truncated ? [createWholeButton(truncated, index)] : [])];
}
