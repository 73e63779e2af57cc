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
export type SessionWish = "allow" | "deny" | "focus-composer" | "stop" | "find" | "previous-message" | "next-message";
export type InboxWish = "next" | "previous" | "allow" | "deny" | "answer" | "leave";

/**
 * `Mod` is Ctrl, or Cmd where that is the custom; `1-9` is any of these digits. Several chords do the same: one that
 * works while typing stands beside the plain letter, and another one beside what a browser may keep for itself.
 */
export interface ShortcutRow<Does> {
  readonly does: Does;
  readonly words: string;
  readonly chords: readonly string[];
}

/** The one table: keys are matched against it, and the sheet and the palette are made from it. */
export const ANYWHERE: readonly ShortcutRow<Shortcut>[] = [
  { does: { do: "palette" }, words: "Go to a session or run a command", chords: ["Mod+K"] },
  { does: { do: "search" }, words: "Search all sessions", chords: ["Mod+Shift+F", "/"] },
  { does: { do: "overview" }, words: "Overview and inbox", chords: ["O", "Alt+O"] },
  { does: { do: "next-waiting" }, words: "Next session waiting for you", chords: ["W", "Alt+N"] },
  { does: { do: "new-session" }, words: "New session", chords: ["N", "Alt+Shift+N"] },
  { does: { do: "focus-composer" }, words: "Write a message", chords: ["I"] },
  { does: { do: "print" }, words: "Print the session", chords: ["Mod+P"] },
  { does: { do: "settings" }, words: "Settings", chords: ["Mod+,"] },
  { does: { do: "shortcuts" }, words: "Keyboard shortcuts", chords: ["?", "Mod+/"] },
];

export const TABS: readonly ShortcutRow<Shortcut | ((key: string) => Shortcut)>[] = [
  {
    does: (key) => ({ do: "show-tab", index: Number(key) - 1 }),
    words: "Go to a tab by its place",
    chords: ["Mod+1-9", "Alt+1-9"],
  },
  { does: { do: "step-tab", steps: 1 }, words: "Next tab", chords: ["]", "Alt+PageDown"] },
  { does: { do: "step-tab", steps: -1 }, words: "Previous tab", chords: ["[", "Alt+PageUp"] },
  { does: { do: "move-tab", steps: 1 }, words: "Move the tab right", chords: ["Alt+Shift+ArrowRight"] },
  { does: { do: "move-tab", steps: -1 }, words: "Move the tab left", chords: ["Alt+Shift+ArrowLeft"] },
  { does: { do: "close-tab" }, words: "Close the tab", chords: ["Alt+W"] },
  { does: { do: "reopen-tab" }, words: "Reopen closed tab", chords: ["Alt+Shift+T"] },
  { does: { do: "split" }, words: "Open next tab to the side", chords: ["Alt+\\", "Mod+\\"] },
  { does: { do: "close-column" }, words: "Close column", chords: ["Alt+Shift+W"] },
  { does: { do: "step-column", steps: 1 }, words: "Next column", chords: ["Alt+]"] },
  { does: { do: "step-column", steps: -1 }, words: "Previous column", chords: ["Alt+["] },
];

export const IN_SESSION: readonly ShortcutRow<SessionWish>[] = [
  { does: "allow", words: "Allow what the agent asks for", chords: ["A", "Alt+A"] },
  { does: "deny", words: "Deny it", chords: ["D", "Alt+D"] },
  { does: "focus-composer", words: "Write a message", chords: ["I"] },
  { does: "find", words: "Find in the session", chords: ["Mod+F"] },
  { does: "previous-message", words: "Your previous message", chords: ["Alt+ArrowUp"] },
  { does: "next-message", words: "Your next message", chords: ["Alt+ArrowDown"] },
  { does: "stop", words: "Stop the agent (asks once)", chords: ["Escape"] },
];

export const IN_INBOX: readonly ShortcutRow<InboxWish>[] = [
  { does: "next", words: "Next request", chords: ["J", "ArrowDown"] },
  { does: "previous", words: "Previous request", chords: ["K", "ArrowUp"] },
  { does: "allow", words: "Allow the marked one", chords: ["A"] },
  { does: "deny", words: "Deny the marked one", chords: ["D"] },
  { does: "answer", words: "Answer the marked question", chords: ["Enter"] },
  { does: "leave", words: "Back to the session", chords: ["Escape"] },
];
