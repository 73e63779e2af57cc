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

/** What the composer holds when the key is pressed. */
export interface ComposerScene {
  readonly text: string;
  readonly queuedCount: number;
  /** The text is an earlier message, untouched, with the cursor at its end. */
  readonly isRecalled: boolean;
  /** The running turn takes messages. */
  readonly canSteer: boolean;
}

export type ComposerIntent = "send" | "steer" | "edit-queued" | "recall-older" | "recall-newer";

/** What a key means; null leaves it to the text field. Esc is heard by the whole frame, not here. */
export function composerIntent(press: ComposerKey, scene: ComposerScene): ComposerIntent | null {
  const { key, shift, ctrl, alt, meta, isComposing } = press;
  if (isComposing) return null;
  if (key === "Enter" && !shift && !alt) return (ctrl || meta) && scene.canSteer ? "steer" : "send";
  if (shift || ctrl || alt || meta) return null;
  if (key === "ArrowUp" && scene.text === "") return scene.queuedCount > 0 ? "edit-queued" : "recall-older";
  if (!scene.isRecalled) return null;
  if (key === "ArrowUp") return "recall-older";
  return key === "ArrowDown" ? "recall-newer" : null;
}
