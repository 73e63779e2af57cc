import type { IconName } from "../../ui/icons/icon-shapes.ts";
import type { SessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";

/** One thing the palette can do: go to a session, or run a command. */
export interface PaletteEntry {
  /** The same over visits: what was chosen lately is remembered by it. */
  readonly id: string;
  readonly group: "Sessions" | "Commands";
  readonly words: string;
  /** Where it belongs; searched too. */
  readonly detail: string;
  readonly icon: IconName;
  readonly mark?: SessionMark;
  /** What stands at the end: an age. */
  readonly note?: string;
  /** The key that does the same. */
  readonly chord?: string | undefined;
  readonly act: (shell: Shell) => void;
}
