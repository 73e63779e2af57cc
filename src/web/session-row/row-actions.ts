import type { SessionRow } from "../../protocol/server-messages.ts";
import type { IconName } from "../icons/icon-shapes.ts";
import type { Shell } from "../shell/state/shell.ts";
import { askToArchive, askToDelete, startRename } from "../shell/state/shell-actions.ts";

export interface RowAction {
  readonly words: string;
  readonly icon: IconName;
  readonly key?: string;
  readonly isDangerous?: boolean;
  /** It goes on in the row itself, which has to be in sight. */
  readonly isInPlace?: boolean;
  readonly act: (shell: Shell) => void;
}

/** What can be done with a session from its row. */
export function rowActions({ id, archived }: SessionRow): readonly RowAction[] {
  const remove: RowAction = {
    words: "Delete…",
    icon: "trash",
    isDangerous: true,
    act: (shell) => askToDelete(shell, id),
  };
  const rename: RowAction = {
    words: "Rename",
    icon: "edit",
    key: "F2",
    isInPlace: true,
    act: (shell) => startRename(shell, id),
  };
  if (archived) {
    const act = (shell: Shell) => void shell.attempt({ type: "session:unarchive", sessionId: id });
    return [{ words: "Unarchive", icon: "archive", act }, remove];
  }
  return [rename, { words: "Archive", icon: "archive", act: (shell) => askToArchive(shell, id) }, remove];
}
