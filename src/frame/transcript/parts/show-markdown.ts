import type { MarkdownView } from "../../../ui/markdown/markdown-view.ts";

/** Brings a view up to an entry's text. Our own flush is the frame's one flush, so the page changes here and now. */
export function showMarkdown(view: MarkdownView, content: string, isLive: boolean): void {
  view.replace(content); // what only adds to the text shown is appended
  if (!isLive) view.finish();
  view.flush();
}
