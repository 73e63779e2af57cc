import type { Part } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import { createBlockButton } from "../../../ui/markdown/block-button.ts";
import { createWholeButton } from "../../../ui/parts/block.ts";
import { createContentPart } from "../../../ui/parts/content-part.ts";
import type { Row } from "../rows.ts";

/** The frame every row stands in: an article that says what it is, for screen readers, styles and tests alike. */
export function createArticle(type: string, className: string): HTMLElement {
  const article = createElement("article", `entry ${className}`);
  article.dataset["entryType"] = type;
  return article;
}

/** What all rows share: their place among the others and the id of their entry. */
export function markArticle(article: HTMLElement, row: Row): void {
  article.dataset["gap"] = row.gap;
  if (row.kind === "entry") article.dataset["entryId"] = row.entry.entryId;
}

const WORDS = { message: "Copy message", turn: "Copy turn" } as const;

/** What can be copied at an entry: seen on hover and with the keyboard. The frame handles the click by the button's data attribute. */
export function createEntryActions(...kinds: readonly (keyof typeof WORDS)[]): HTMLElement {
  const buttons = kinds.map((kind) => {
    const button = createBlockButton("copy", WORDS[kind]);
    button.classList.add("small");
    button.dataset["copy"] = kind;
    if (kind === "turn") button.append(createElement("span", "", "Copy turn"));
    return button;
  });
  return createElement("div", "entry-actions", ...buttons);
}

/** What text alone cannot carry, and texts too long to stand in the entry, each with the way to all of it. */
export function createParts(parts: readonly Part[] | undefined): HTMLElement[] {
  return (parts ?? []).flatMap((part, index) => (hasShape(part) ? createPart(part, index) : []));
}

/** Text and terminal output stand in the entry's own text; the rest has a shape of its own. */
export function hasShape(part: Part): boolean {
  return part.type === "text" ? part.truncated !== undefined : part.type !== "terminal";
}

function createPart(part: Part, index: number): HTMLElement[] {
  const truncated = "truncated" in part ? part.truncated : undefined;
  return [createContentPart(part), ...(truncated ? [createWholeButton(truncated, index)] : [])];
}
