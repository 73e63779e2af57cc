import { effect, untracked } from "@preact/signals";
import type { Shell } from "./shell.ts";
import { isComplete } from "./shell-state.ts";

/**
 * Does it as soon as it is known which projects and sessions there are, which is a moment after the page is in view: what
 * was asked for before is kept. Who has opened something else by then no longer wants it.
 */
export function onceListed(shell: Shell, act: () => void): void {
  if (isComplete(shell.server.peek())) {
    act();
    return;
  }
  const stop = effect(() => {
    if (!isComplete(shell.server.value)) return;
    stop();
    untracked(() => {
      if (shell.dialog.peek().kind === "none") act();
    });
  });
}
