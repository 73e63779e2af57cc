import type { EntryId } from "../../protocol/ids.ts";

/** Long enough to be found by the eye, short enough to be forgotten. */
const STANDS_OUT_MS = 2_500;
/** Sub-agents of sub-agents: no deeper than this is looked. */
const NESTED_LEVELS_MAX = 8;

/** Opens what is folded, gives the keyboard its place there, and makes the entry stand out for a moment. */
export function revealEntry(row: HTMLElement, entryId: EntryId): HTMLElement {
  const article = openEntry(row, entryId);
  focusEntry(article);
  article.dataset["found"] = "";
  setTimeout(() => delete article.dataset["found"], STANDS_OUT_MS);
  return article;
}

/** Opens what is folded around an entry and in it; the keyboard stays where it is. */
export function openEntry(row: HTMLElement, entryId: EntryId): HTMLElement {
  const article = unfold(row, entryId);
  article.querySelector<HTMLElement>('button[aria-expanded="false"]')?.click();
  return article;
}

export function focusEntry(article: HTMLElement): void {
  article.tabIndex = -1;
  article.focus({ preventScroll: true });
}

/** The entry itself, or the row it belongs to: the steps of a sub-agent are made when they are opened. */
function unfold(row: HTMLElement, entryId: EntryId): HTMLElement {
  for (let level = 0; level < NESTED_LEVELS_MAX && row.dataset["entryId"] !== entryId; level += 1) {
    const inside = row.querySelector<HTMLElement>(`article[data-entry-id="${CSS.escape(entryId)}"]`);
    if (inside) return inside;
    for (const closed of row.querySelectorAll<HTMLElement>('.sub-agent > button[aria-expanded="false"]'))
      closed.click();
  }
  return row;
}
