/** What the shell can be asked for by a key, from anywhere in the page. */
export type Shortcut =
  | { readonly do: ShellWish }
  | { readonly do: "show-tab"; readonly index: number }
  | { readonly do: "step-tab"; readonly steps: 1 | -1 }
  | { readonly do: "move-tab"; readonly steps: 1 | -1 }
  | { readonly do: "step-column"; readonly steps: 1 | -1 };

/** Wishes that need no more words. */
export type ShellWish =
  | "palette"
  | "search"
  | "overview"
  | "next-waiting"
  | "new-session"
  | "focus-composer"
  | "settings"
  | "shortcuts"
  | "close-tab"
  | "split"
  | "close-column"
  | "reopen-tab"
  | "print";

/** What a session's own frame does by itself. */
export type SessionWish =
  | "allow"
  | "deny"
  | "deny-with-reason"
  | "focus-composer"
  | "stop"
  | "find"
  | "previous-message"
  | "next-message"
  | "first-message"
  | "latest";
export type InboxWish = "next" | "previous" | "allow" | "deny" | "answer" | "leave";

/**
 * `Mod` is Ctrl, or Cmd where that is the custom; `1-9` is any of these digits. Several chords do the same: one that
 * works while typing stands beside the plain letter, and another one beside what a browser may keep for itself.
 */
export interface ShortcutRow<Does> {
  /** Under which the user's own keys for it are stored. */
  readonly id: string;
  readonly does: Does;
  readonly words: string;
  readonly chords: readonly string[];
}

/** The one table: keys are matched against it, and the sheet and the palette are made from it. */
export const ANYWHERE: readonly ShortcutRow<Shortcut>[] = [
  { id: "palette", does: { do: "palette" }, words: "Go to a session or run a command", chords: ["Mod+K"] },
  { id: "search", does: { do: "search" }, words: "Search all sessions", chords: ["Mod+Shift+F", "/"] },
  { id: "overview", does: { do: "overview" }, words: "Overview and inbox", chords: ["O", "Alt+O"] },
  { id: "next-waiting", does: { do: "next-waiting" }, words: "Next session waiting for you", chords: ["W", "Alt+N"] },
  { id: "new-session", does: { do: "new-session" }, words: "New session", chords: ["N", "Alt+Shift+N"] },
  { id: "focus-composer", does: { do: "focus-composer" }, words: "Write a message", chords: ["I"] },
  { id: "print", does: { do: "print" }, words: "Print session", chords: ["Mod+P"] },
  { id: "settings", does: { do: "settings" }, words: "Settings", chords: ["Mod+,"] },
  { id: "shortcuts", does: { do: "shortcuts" }, words: "Keyboard shortcuts", chords: ["?", "Mod+/"] },
];

export const TABS: readonly ShortcutRow<Shortcut | ((key: string) => Shortcut)>[] = [
  {
    id: "show-tab",
    does: (key) => ({ do: "show-tab", index: Number(key) - 1 }),
    words: "Go to tab by number",
    chords: ["Mod+1-9", "Alt+1-9"],
  },
  { id: "next-tab", does: { do: "step-tab", steps: 1 }, words: "Next tab", chords: ["]", "Alt+PageDown"] },
  { id: "previous-tab", does: { do: "step-tab", steps: -1 }, words: "Previous tab", chords: ["[", "Alt+PageUp"] },
  {
    id: "move-right-tab",
    does: { do: "move-tab", steps: 1 },
    words: "Move tab right",
    chords: ["Alt+Shift+ArrowRight"],
  },
  {
    id: "move-left-tab",
    does: { do: "move-tab", steps: -1 },
    words: "Move tab left",
    chords: ["Alt+Shift+ArrowLeft"],
  },
  { id: "close-tab", does: { do: "close-tab" }, words: "Close tab", chords: ["Alt+W"] },
  { id: "reopen-tab", does: { do: "reopen-tab" }, words: "Reopen closed tab", chords: ["Alt+Shift+T"] },
  { id: "split", does: { do: "split" }, words: "Open next tab to the side", chords: ["Alt+\\", "Mod+\\"] },
  { id: "close-column", does: { do: "close-column" }, words: "Close column", chords: ["Alt+Shift+W"] },
  { id: "next-column", does: { do: "step-column", steps: 1 }, words: "Next column", chords: ["Alt+]"] },
  { id: "previous-column", does: { do: "step-column", steps: -1 }, words: "Previous column", chords: ["Alt+["] },
];

export const IN_SESSION: readonly ShortcutRow<SessionWish>[] = [
  { id: "allow", does: "allow", words: "Allow request", chords: ["A", "Alt+A"] },
  { id: "deny", does: "deny", words: "Deny request", chords: ["D", "Alt+D"] },
  {
    id: "deny-with-reason",
    does: "deny-with-reason",
    words: "Deny request with a reason",
    chords: ["Shift+D", "Alt+Shift+D"],
  },
  { id: "focus-composer", does: "focus-composer", words: "Write a message", chords: ["I"] },
  { id: "find", does: "find", words: "Find in session", chords: ["Mod+F"] },
  { id: "previous-message", does: "previous-message", words: "Your previous message", chords: ["Alt+ArrowUp"] },
  { id: "next-message", does: "next-message", words: "Your next message", chords: ["Alt+ArrowDown"] },
  { id: "first-message", does: "first-message", words: "First message", chords: ["Alt+Home"] },
  { id: "latest", does: "latest", words: "Latest message", chords: ["Alt+End"] },
  { id: "stop", does: "stop", words: "Stop the agent (press twice)", chords: ["Escape"] },
];

export const IN_INBOX: readonly ShortcutRow<InboxWish>[] = [
  { id: "inbox-next", does: "next", words: "Next request", chords: ["J", "ArrowDown"] },
  { id: "inbox-previous", does: "previous", words: "Previous request", chords: ["K", "ArrowUp"] },
  { id: "inbox-allow", does: "allow", words: "Allow selected request", chords: ["A"] },
  { id: "inbox-deny", does: "deny", words: "Deny selected request", chords: ["D"] },
  { id: "inbox-answer", does: "answer", words: "Answer selected question", chords: ["Enter"] },
  { id: "inbox-leave", does: "leave", words: "Back to the session", chords: ["Escape"] },
];
