export type CompletionIntent = "next" | "previous" | "choose" | "close" | "wait";

interface CompletionScene {
  readonly count: number;
  /** What is shown is not the answer to what is typed. */
  readonly isBusy: boolean;
  readonly isComposing: boolean;
}

/** What a key means while the list is open; null leaves it to the field. Nothing here ever sends. */
export function completionIntent(
  key: string,
  hasModifier: boolean,
  { count, isBusy, isComposing }: CompletionScene,
): CompletionIntent | null {
  if (isComposing || hasModifier) return null;
  if (key === "Escape") return count > 0 || isBusy ? "close" : null;
  if (key === "Enter" || key === "Tab") {
    if (isBusy) return "wait";
    return count > 0 ? "choose" : null;
  }
  if (count === 0) return null;
  // The best match is at the bottom of the list, beside the text: the next one is above it.
  if (key === "ArrowUp") return "next";
  return key === "ArrowDown" ? "previous" : null;
}

/** Round and round. */
export function moveSelection(selected: number, count: number, by: 1 | -1): number {
  return count === 0 ? 0 : (selected + by + count) % count;
}
