import { useComputed } from "@preact/signals";
import type { Shell } from "../state/shell.ts";
import type { ShellState } from "../state/shell-state.ts";

/** A piece of what the server said: who reads it is drawn again only when that piece changes. */
export function usePick<Piece>(shell: Shell, pick: (state: ShellState) => Piece): Piece {
  return useComputed(() => pick(shell.server.value)).value;
}
