/** A project or a session in the sidebar, as seen by the arrow keys. */
export interface TreeItem {
  /** Its depth. */
  readonly level: number;
  readonly text: string;
  /** Whether it is expanded, if it can be collapsed. */
  readonly isOpen?: boolean | undefined;
}

type TreeStep = { readonly go: number } | "fold" | null;

/** Letters further apart than this start a new word. */
const WORD_PAUSE_MS = 700;

/** The action of an arrow key, Home or End, as in the ARIA tree pattern; null for other keys. */
export function treeStep(items: readonly TreeItem[], at: number, key: string): TreeStep {
  const item = items[at];
  if (item === undefined) return null;
  switch (key) {
    case "ArrowDown":
      return { go: Math.min(at + 1, items.length - 1) };
    case "ArrowUp":
      return { go: Math.max(at - 1, 0) };
    case "Home":
      return { go: 0 };
    case "End":
      return { go: items.length - 1 };
    case "ArrowRight":
      if (item.isOpen === false) return "fold";
      return (items[at + 1]?.level ?? 0) > item.level ? { go: at + 1 } : null;
    case "ArrowLeft": {
      if (item.isOpen === true) return "fold";
      const parent = items.slice(0, at).findLastIndex(({ level }) => level < item.level);
      return parent === -1 ? null : { go: parent };
    }
    default:
      return null;
  }
}

/** Finds the next row that starts with the letters typed one after the other. */
export class TypeAhead {
  #typed = "";
  #lastMs = Number.NEGATIVE_INFINITY;

  /** A word was started, and the next letter belongs to it. */
  isTyping(nowMs: number): boolean {
    return this.#typed !== "" && nowMs - this.#lastMs < WORD_PAUSE_MS;
  }

  /** The position of the next match, from here on and wrapping around; the same letter again moves to the next one. */
  find(items: readonly TreeItem[], at: number, letter: string, nowMs: number): number | null {
    const typed = this.isTyping(nowMs) ? this.#typed + letter.toLowerCase() : letter.toLowerCase();
    this.#lastMs = nowMs;
    const isRepeated = typed === typed.charAt(0).repeat(typed.length);
    const word = isRepeated ? typed.charAt(0) : typed;
    const from = isRepeated ? at + 1 : at;
    const found = items.findIndex((_, step) => textAt(items, from + step).startsWith(word));
    this.#typed = found === -1 ? "" : typed;
    return found === -1 ? null : (from + found) % items.length;
  }
}

function textAt(items: readonly TreeItem[], place: number): string {
  return items[place % items.length]?.text.toLowerCase() ?? "";
}
