import { canAt } from "../../protocol/place-capabilities.ts";
import type { Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import type { IconName } from "../../ui/icons/icon-shapes.ts";
import { keyWords } from "../../ui/keys/key-bindings.ts";
import { printPortlet } from "../portlets/ask-portlet.ts";
import { sessionMark } from "../state/session-mark.ts";
import type { Shell } from "../state/shell.ts";
import {
  askToArchive,
  askToDelete,
  askToHandBack,
  askToKill,
  askToMerge,
  canOpenBeside,
  markUnread,
  startRename,
} from "../state/shell-actions.ts";
import { agentOf, canIn } from "../state/shell-state.ts";

export interface RowAction {
  readonly words: string;
  readonly icon: IconName;
  readonly key?: string;
  readonly isDangerous?: boolean;
  /** It continues in the row itself, which has to be visible. */
  readonly isInPlace?: boolean;
  readonly act: () => void;
}

/** Actions for a session from its row. */
export function rowActions(shell: Shell, session: SessionRow): readonly RowAction[] {
  const { id, archived } = session;
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
    ...orderActions(shell, session),
    ...printAction(shell, id),
    ...checkpointsAction(shell, session),
    continueAction(shell, id),
    ...worktreeActions(shell, session),
    ...handBackAction(shell, session),
    { words: "Kill agent", icon: "power", act: () => askToKill(shell, id) },
    { words: "Archive", icon: "archive", act: () => askToArchive(shell, id) },
    remove,
  ];
}

/** The user's organization of sessions. */
function orderActions(shell: Shell, session: SessionRow): readonly RowAction[] {
  const { id: sessionId, pinned } = session;
  const organize = (change: { pinned?: boolean; dismissed?: boolean }) => () =>
    void shell.attempt({ type: "session:organize", sessionId, ...change });
  const isUnread = session.unread === true;
  const dismiss: RowAction = { words: "Dismiss failure", icon: "check", act: organize({ dismissed: true }) };
  const labels = () => {
    shell.dialog.value = { kind: "labels", sessionId };
  };
  return [
    ...(sessionMark(session) === "failed" ? [dismiss] : []),
    { words: pinned ? "Unpin" : "Pin", icon: "pin", act: organize({ pinned: !pinned }) },
    { words: "Labels…", icon: "tag", act: labels },
    {
      words: isUnread ? "Mark as read" : "Mark as unread",
      icon: "message",
      act: () => markUnread(shell, sessionId, !isUnread),
    },
  ];
}

/** Actions for a session from its tab. */
export function tabActions(shell: Shell, session: SessionRow): readonly RowAction[] {
  const { id } = session;
  const others: RowAction = { words: "Close others", icon: "close", act: () => shell.closeOthers(id) };
  return [
    { words: "Close", icon: "close", key: keyWords("close-tab"), act: () => shell.close(id) },
    ...(shell.tabs.peek().order.length > 1 ? [others] : []),
    ...besideAction(shell, id),
    { words: "Rename", icon: "edit", act: () => startRename(shell, id, "tab") },
    ...orderActions(shell, session),
    ...printAction(shell, id),
    ...checkpointsAction(shell, session),
    continueAction(shell, id),
    ...worktreeActions(shell, session),
    { words: "Archive", icon: "archive", act: () => askToArchive(shell, id) },
  ];
}

/** Actions for a project, where its head has no room for their buttons. */
export function projectActions(shell: Shell, { id, path }: Project): readonly RowAction[] {
  const showsArchived = shell.archivesShown.peek().has(id);
  const worktrees: RowAction = { words: "Worktrees", icon: "branch", act: () => shell.showWorktrees(id) };
  return [
    {
      words: showsArchived ? "Hide archived sessions" : "Show archived sessions",
      icon: "archive",
      act: () => shell.toggleArchived(id),
    },
    ...(canAt(path, "worktrees") ? [worktrees] : []),
    { words: "Schedules", icon: "clock", act: () => shell.showSchedules(id) },
    {
      words: "Remove from list…",
      icon: "minus",
      act: () => {
        shell.dialog.value = { kind: "remove-project", projectId: id };
      },
    },
  ];
}

function checkpointsAction(shell: Shell, { id: sessionId, projectId }: SessionRow): readonly RowAction[] {
  if (!canIn(shell.server.peek(), projectId, "changes")) return [];
  const act = () => {
    shell.dialog.value = { kind: "checkpoints", sessionId };
  };
  return [{ words: "Checkpoints…", icon: "undo", act }];
}

/** Not offered for agents without a command that continues a conversation. */
function handBackAction(shell: Shell, { id, cliType, projectId }: SessionRow): readonly RowAction[] {
  if (!canIn(shell.server.peek(), projectId, "handback")) return [];
  if (agentOf(shell.server.peek(), cliType)?.capabilities["handback"] !== true) return [];
  const act = () => void askToHandBack(shell, id);
  return [{ words: "Continue in a terminal…", icon: "open", key: keyWords("handback"), act }];
}

/** Continues it with another agent. */
function continueAction(shell: Shell, sessionId: SessionRow["id"]): RowAction {
  const act = () => {
    shell.dialog.value = { kind: "continue", sessionId };
  };
  return { words: "Continue with…", icon: "fork", key: keyWords("continue"), act };
}

/** The way into a worktree, and back. */
function worktreeActions(shell: Shell, session: SessionRow): readonly RowAction[] {
  if (!canIn(shell.server.peek(), session.projectId, "worktrees")) return [];
  const { id: sessionId, worktree } = session;
  const move: RowAction = {
    words: worktree === null ? "Continue in a worktree…" : "Continue elsewhere…",
    icon: "branch",
    act: () => {
      shell.dialog.value = { kind: "move-session", sessionId };
    },
  };
  const { attempt } = session;
  const compare: RowAction[] =
    attempt === undefined
      ? []
      : [
          {
            words: "Compare attempts",
            icon: "columns",
            act: () => shell.showAttempts(session.projectId, attempt.groupId),
          },
        ];
  if (worktree === null) return [...compare, move];
  return [...compare, { words: "Merge…", icon: "branch", act: () => askToMerge(shell, session) }, move];
}

/** Not offered without room, without another session, or if it is already there. */
function besideAction(shell: Shell, id: SessionRow["id"]): readonly RowAction[] {
  const { order } = shell.tabs.peek();
  const isAlone = order.length === 1 && order[0] === id;
  if (isAlone || !canOpenBeside(shell) || shell.split.peek().columns.includes(id)) return [];
  return [{ words: "Open to the side", icon: "columns", act: () => shell.openBeside(id) }];
}

/** Only an open session can be printed, and it is shown first: in the background it has not drawn everything. */
function printAction(shell: Shell, id: SessionRow["id"]): readonly RowAction[] {
  if (!shell.tabs.peek().order.includes(id)) return [];
  const act = () => {
    shell.open(id);
    printPortlet(id);
  };
  return [{ words: "Print", icon: "file", key: keyWords("print"), act }];
}
