/** A key press as both the shell's window and a frame can report it. */
export interface KeyPress {
  readonly key: string;
  readonly modifiers: {
    readonly ctrl: boolean;
    readonly meta: boolean;
    readonly shift: boolean;
    readonly alt: boolean;
  };
  /** True while the user types text: single letters belong to it then. */
  readonly typing: boolean;
}

export type Shortcut =
  | { readonly do: "new-session" }
  | { readonly do: "show-tab"; readonly index: number }
  | { readonly do: "step-tab"; readonly steps: 1 | -1 }
  | { readonly do: "move-tab"; readonly steps: 1 | -1 }
  | { readonly do: "close-tab" }
  | { readonly do: "search" };

/** What a key means to the shell. Browsers keep Ctrl+number for themselves in places, so Alt does the same. */
export function shellShortcut({ key, modifiers, typing }: KeyPress): Shortcut | null {
  const { ctrl, meta, shift, alt } = modifiers;
  const onlyAlt = alt && !ctrl && !meta;
  const onlyCommand = (ctrl || meta) && !alt && !shift;
  if (/^[1-9]$/.test(key) && (onlyCommand || (onlyAlt && !shift))) return { do: "show-tab", index: Number(key) - 1 };
  if (onlyAlt && shift && key === "ArrowRight") return { do: "move-tab", steps: 1 };
  if (onlyAlt && shift && key === "ArrowLeft") return { do: "move-tab", steps: -1 };
  if (onlyAlt && !shift && key.toLowerCase() === "w") return { do: "close-tab" };
  if ((ctrl || meta) && shift && !alt && key.toLowerCase() === "f") return { do: "search" };
  if (typing || ctrl || meta || alt || shift) return null;
  switch (key) {
    case "n":
      return { do: "new-session" };
    case "]":
      return { do: "step-tab", steps: 1 };
    case "[":
      return { do: "step-tab", steps: -1 };
    default:
      return null;
  }
}
