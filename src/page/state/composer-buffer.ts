import type { Shell } from "./shell.ts";

/** Enough for everything typed before a composer is ready. */
const BUFFERED_CHARS_MAX = 200;

let buffer = "";

/**
 * While a session is being created or its frame is loading, keys are already meant for its composer: buffers a letter
 * and returns true; false for keys that are not.
 */
export function bufferForComposer(shell: Shell, event: KeyboardEvent, isTyping: boolean): boolean {
  const { kind } = shell.dialog.peek();
  if (shell.focusWanted.peek() === null || isTyping || (kind !== "none" && kind !== "new-session")) return false;
  const { key, ctrlKey, metaKey, altKey, isComposing } = event;
  if (ctrlKey || metaKey || altKey || isComposing) return false;
  if (key === "Backspace") buffer = [...buffer].slice(0, -1).join("");
  else if ([...key].length === 1) buffer = (buffer + key).slice(0, BUFFERED_CHARS_MAX);
  else return false;
  return true;
}

/** Returns the buffered text and clears the buffer. */
export function takeBufferedText(): string {
  const text = buffer;
  buffer = "";
  return text;
}
