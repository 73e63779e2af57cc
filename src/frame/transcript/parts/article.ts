import { createElement } from "../../../ui/create-element.ts";
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
