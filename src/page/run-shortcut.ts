import { PortletWish } from "../protocol/portlet-messages.ts";
import { findShortcut, type KeyPress } from "../ui/keys/shell-shortcut.ts";
import { IN_SESSION, type ShellWish, type Shortcut } from "../ui/keys/shortcut-table.ts";
import { findInPortlet, printPortlet, wishOfPortlet } from "./portlets/ask-portlet.ts";
import { tabBeside } from "./state/open-tabs.ts";
import type { Shell } from "./state/shell.ts";
import {
  askForSession,
  askToHandBack,
  canOpenBeside,
  nextBeside,
  onceListed,
  openNextWaiting,
} from "./state/shell-actions.ts";
import { isComplete } from "./state/shell-state.ts";
import { columnBeside } from "./state/split-view.ts";

/** Runs a shortcut. Returns false if it has no effect now; the browser then handles the key. */
export function runShortcut(shell: Shell, shortcut: Shortcut): boolean {
  const tabs = shell.tabs.peek();
  switch (shortcut.do) {
    case "show-tab":
      return show(shell, tabs.order[shortcut.index] ?? null);
    case "step-tab":
      return show(shell, tabBeside(tabs, shortcut.steps));
    case "move-tab": {
      if (tabs.active === null) return false;
      shell.move(tabs.active, tabs.order.indexOf(tabs.active) + shortcut.steps);
      return true;
    }
    case "step-column":
      return show(shell, columnBeside({ tabs, split: shell.split.peek() }, shortcut.steps));
    default:
      return runWish(shell, shortcut.do);
  }
}

/**
 * Runs an action of the session in view whose key was pressed outside its frame, as after a reload. A plain letter only
 * where nothing has the focus. Without a session in view, the browser's own find is used.
 */
export function runInSession(shell: Shell, press: KeyPress, hasFocus: boolean): boolean {
  const shown = shell.shownSession();
  const wish = findShortcut(IN_SESSION, press);
  if (shown === null || wish === null) return false;
  if (wish === "find") return findInPortlet(shown);
  const { ctrl, meta, alt } = press.modifiers;
  if (hasFocus && !ctrl && !meta && !alt) return false;
  // Requests are answered only where they are seen, and Esc has other uses outside.
  const { data } = PortletWish.safeParse(wish);
  return data !== undefined && data !== "stop" && wishOfPortlet(shown, data);
}

function runWish(shell: Shell, wish: ShellWish): boolean {
  const { active } = shell.tabs.peek();
  switch (wish) {
    case "palette":
    case "search":
    case "settings":
    case "shortcuts":
      shell.dialog.value = { kind: wish };
      return true;
    case "overview":
      shell.toggleOverview();
      return true;
    case "next-waiting":
      if (isComplete(shell.server.peek())) return openNextWaiting(shell);
      onceListed(shell, () => void openNextWaiting(shell));
      return true;
    case "new-session":
      askForSession(shell);
      return true;
    case "focus-composer":
      return show(shell, active);
    case "close-tab":
      if (active === null || shell.page.peek() !== null) return false;
      shell.close(active);
      show(shell, shell.tabs.peek().active);
      return true;
    case "split": {
      const next = nextBeside(shell);
      if (next === null || !canOpenBeside(shell)) return false;
      shell.openBeside(next);
      return true;
    }
    case "close-column":
      if (active === null || shell.split.peek().columns.length === 0) return false;
      shell.closeColumn(active);
      show(shell, shell.tabs.peek().active);
      return true;
    case "print":
      return active !== null && shell.page.peek() === null && printPortlet(active);
    case "handback":
      return active !== null && shell.page.peek() === null && askToHandBack(shell, active);
    case "reopen-tab":
      return shell.reopen();
    case "terminal":
      // An open dock gets the keyboard first.
      shell.showDock(!shell.dock.peek().isOpen || document.activeElement?.closest(".terminal-dock") == null);
      return true;
    default:
      return wish satisfies never;
  }
}

function show(shell: Shell, id: ReturnType<typeof tabBeside>): boolean {
  if (id === null) return false;
  shell.open(id, { focus: true });
  return true;
}
