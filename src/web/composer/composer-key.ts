/** A key press in the composer, as far as it matters here. */
export interface ComposerKey {
  readonly key: string;
  readonly shift: boolean;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly meta: boolean;
  /** An input method is choosing characters: its keys are its own. */
  readonly isComposing: boolean;
}

export type ComposerIntent = "send" | "edit-queued";

/** What a key means; null leaves it to the text field. Esc is heard by the whole frame, not here. */
export function composerIntent(press: ComposerKey, text: string, queuedCount: number): ComposerIntent | null {
  const { key, shift, ctrl, alt, meta, isComposing } = press;
  if (isComposing) return null;
  if (key === "Enter" && !shift && !alt) return "send";
  if (key === "ArrowUp" && text === "" && queuedCount > 0 && !(shift || ctrl || alt || meta)) return "edit-queued";
  return null;
}
