import type { SessionRow } from "../../protocol/session-schema.ts";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { printPortlet } from "../portlets/ask-portlet.ts";
import type { Shell } from "../state/shell.ts";
import { askToArchive, askToDelete, askToKill, canOpenBeside, startRename } from "../state/shell-actions.ts";

interface RowAction {
  readonly words: string;
  readonly icon: IconName;
  readonly key?: string;
  readonly isDangerous?: boolean;
  /** It goes on in the row itself, which has to be in sight. */
  readonly isInPlace?: boolean;
  readonly act: () => void;
}

/** What can be done with a session from its row. */
export function rowActions(shell: Shell, { id, archived }: SessionRow): readonly RowAction[] {
  const remove: RowAction = {
    words: "Delete…",
    icon: "trash",
    isDangerous: true,
    act: () => askToDelete(shell, id),
  };
  const rename: RowAction = {
    words: "Rename",
    icon: "edit",
    key: "F2",
    isInPlace: true,
    act: () => startRename(shell, id),
  };
  if (archived) {
    const act = () => void shell.attempt({ type: "session:unarchive", sessionId: id });
    return [{ words: "Unarchive", icon: "archive", act }, remove];
  }
  return [
    ...besideAction(shell, id),
    rename,
    ...printAction(shell, id),
    { words: "Kill agent", icon: "power", act: () => askToKill(shell, id) },
    { words: "Archive", icon: "archive", act: () => askToArchive(shell, id) },
    remove,
  ];
}

/** What can be done with a session from its tab. */
export function tabActions(shell: Shell, { id }: SessionRow): readonly RowAction[] {
  const others: RowAction = { words: "Close others", icon: "close", act: () => shell.closeOthers(id) };
  return [
    { words: "Close", icon: "close", key: keyWords("close-tab"), act: () => shell.close(id) },
    ...(shell.tabs.peek().order.length > 1 ? [others] : []),
    ...besideAction(shell, id),
    { words: "Rename", icon: "edit", act: () => startRename(shell, id, "tab") },
    ...printAction(shell, id),
    { words: "Archive", icon: "archive", act: () => askToArchive(shell, id) },
  ];
}

/** Nothing to offer where there is no room, nothing to stand beside, or where it already stands. */
function besideAction(shell: Shell, id: SessionRow["id"]): readonly RowAction[] {
  const { order } = shell.tabs.peek();
  const isAlone = order.length === 1 && order[0] === id;
  if (isAlone || !canOpenBeside(shell) || shell.split.peek().columns.includes(id)) return [];
  return [{ words: "Open to the side", icon: "columns", act: () => shell.openBeside(id) }];
}

/** Only an open session can be printed, and it comes into view first: in the background it has not drawn everything. */
function printAction(shell: Shell, id: SessionRow["id"]): readonly RowAction[] {
  if (!shell.tabs.peek().order.includes(id)) return [];
  const act = () => {
    shell.open(id);
    printPortlet(id);
  };
  return [{ words: "Print", icon: "file", key: keyWords("print"), act }];
}
