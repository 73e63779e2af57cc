import type { Shell } from "../state/shell.ts";
import { askForSession } from "../state/shell-actions.ts";
import { tabBeside } from "../tabs/open-tabs.ts";
import type { Shortcut } from "./shell-shortcut.ts";

/** Does what a key asks for. False when there is nothing it could do: the key then stays the browser's. */
export function runShortcut(shell: Shell, shortcut: Shortcut): boolean {
  const tabs = shell.tabs.peek();
  switch (shortcut.do) {
    case "new-session":
      askForSession(shell);
      return true;
    case "search":
      shell.dialog.value = { kind: "search" };
      return true;
    case "show-tab":
      return show(shell, tabs.order[shortcut.index] ?? null);
    case "step-tab":
      return show(shell, tabBeside(tabs, shortcut.steps));
    case "move-tab": {
      if (tabs.active === null) return false;
      shell.move(tabs.active, tabs.order.indexOf(tabs.active) + shortcut.steps);
      return true;
    }
    case "close-tab":
      if (tabs.active === null) return false;
      shell.close(tabs.active);
      return true;
    default:
      return shortcut satisfies never;
  }
}

function show(shell: Shell, id: ReturnType<typeof tabBeside>): boolean {
  if (id === null) return false;
  shell.open(id, { focus: true });
  return true;
}
