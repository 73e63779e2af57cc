/** Actions of the shell that have a key, from anywhere in the page. */
export type Shortcut =
  | { readonly do: ShellWish }
  | { readonly do: "show-tab"; readonly index: number }
  | { readonly do: "step-tab"; readonly steps: 1 | -1 }
  | { readonly do: "move-tab"; readonly steps: 1 | -1 }
  | { readonly do: "step-column"; readonly steps: 1 | -1 };

/** Actions without parameters. */
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
  | "print"
  | "handback"
  | "terminal";

/** Actions of a session's own frame. */
export type SessionWish =
  | "allow"
  | "deny"
  | "deny-with-reason"
  | "resume-limit"
  | "focus-composer"
  | "stop"
  | "find"
  | "branch"
  | "continue"
  | "files"
  | "changes"
  | "previous-message"
  | "next-message"
  | "first-message"
  | "latest";
export type ChangesWish =
  | "next-hunk"
  | "previous-hunk"
  | "next-file"
  | "previous-file"
  | "keep"
  | "discard"
  | "undo"
  | "viewed"
  | "side-by-side"
  | "remark"
  | "send-remarks"
  | "commit"
  | "merge"
  | "leave";
export type TerminalWish = "search" | "leave";
export type InboxWish = "next" | "previous" | "allow" | "deny" | "answer" | "leave";

/**
 * `Mod` is Ctrl, or Cmd on a Mac; `1-9` is any of these digits. Several chords do the same: one that
 * works while typing is beside the plain letter, and another one beside a key that a browser may reserve.
 */
export interface ShortcutRow<Does> {
  /** The id under which the user's own keys are stored. */
  readonly id: string;
  readonly does: Does;
  readonly words: string;
  readonly chords: readonly string[];
}

/** The single table: keys are matched against it, and the sheet and the palette are generated from it. */
export const ANYWHERE: readonly ShortcutRow<Shortcut>[] = [
  { id: "palette", does: { do: "palette" }, words: "Go to a session or run a command", chords: ["Mod+K"] },
  { id: "search", does: { do: "search" }, words: "Search all sessions", chords: ["Mod+Shift+F", "/"] },
  { id: "overview", does: { do: "overview" }, words: "Overview and inbox", chords: ["O", "Alt+O"] },
  { id: "next-waiting", does: { do: "next-waiting" }, words: "Next session waiting for you", chords: ["W", "Alt+N"] },
  { id: "new-session", does: { do: "new-session" }, words: "New session", chords: ["N", "Alt+Shift+N"] },
  { id: "focus-composer", does: { do: "focus-composer" }, words: "Write a message", chords: ["I"] },
  { id: "print", does: { do: "print" }, words: "Print session", chords: ["Mod+P"] },
  { id: "terminal", does: { do: "terminal" }, words: "Terminal", chords: ["Mod+`", "Alt+J"] },
  { id: "handback", does: { do: "handback" }, words: "Continue in your own terminal", chords: ["Alt+Shift+H"] },
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
  { id: "resume-limit", does: "resume-limit", words: "Resume when the usage limit ends", chords: ["R", "Alt+R"] },
  { id: "focus-composer", does: "focus-composer", words: "Write a message", chords: ["I"] },
  { id: "branch", does: "branch", words: "Branch from here", chords: ["B", "Alt+B"] },
  { id: "continue", does: "continue", words: "Continue with…", chords: ["Alt+H"] },
  { id: "find", does: "find", words: "Find in session", chords: ["Mod+F"] },
  { id: "files", does: "files", words: "Files", chords: ["E", "Alt+E"] },
  { id: "changes", does: "changes", words: "Changes", chords: ["G", "Alt+G"] },
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

/** While the keyboard is in the Changes view; what is not here is still matched with the other tables. */
export const IN_CHANGES: readonly ShortcutRow<ChangesWish>[] = [
  { id: "changes-next", does: "next-hunk", words: "Next change", chords: ["J"] },
  { id: "changes-previous", does: "previous-hunk", words: "Previous change", chords: ["K"] },
  { id: "changes-next-file", does: "next-file", words: "Next file", chords: ["N"] },
  { id: "changes-previous-file", does: "previous-file", words: "Previous file", chords: ["P"] },
  { id: "changes-keep", does: "keep", words: "Keep change", chords: ["Y"] },
  { id: "changes-discard", does: "discard", words: "Discard change", chords: ["X"] },
  { id: "changes-undo", does: "undo", words: "Undo last decision", chords: ["U"] },
  { id: "changes-viewed", does: "viewed", words: "Mark file as viewed", chords: ["V"] },
  { id: "changes-split", does: "side-by-side", words: "Side by side", chords: ["S"] },
  { id: "changes-remark", does: "remark", words: "Write a remark", chords: ["R"] },
  { id: "changes-send", does: "send-remarks", words: "Send remarks to the agent", chords: ["Mod+Enter"] },
  { id: "changes-commit", does: "commit", words: "Commit", chords: ["C"] },
  { id: "changes-merge", does: "merge", words: "Merge the worktree", chords: ["M"] },
  { id: "changes-leave", does: "leave", words: "Close changes", chords: ["Escape"] },
];

/** While the keyboard is in the terminal dock. All other keys belong to the program in the terminal. */
export const IN_TERMINAL: readonly ShortcutRow<TerminalWish>[] = [
  { id: "terminal-search", does: "search", words: "Search the terminal's output", chords: ["Mod+Shift+F"] },
  { id: "terminal-leave", does: "leave", words: "Leave the terminal", chords: ["F6"] },
];
