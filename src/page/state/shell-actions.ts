import { effect, untracked } from "@preact/signals";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../../protocol/limits.ts";
import { isTurnActive, type SessionRow } from "../../protocol/session-schema.ts";
import { newCommandId } from "../../ui/new-command-id.ts";
import { waitingSessions } from "./attention.ts";
import { takeBufferedText } from "./composer-buffer.ts";
import { NEXT_SESSION, type Shell } from "./shell.ts";
import type { PlaceWish, ShellDialog } from "./shell-dialog.ts";
import { agentOf, isComplete, type ShellState } from "./shell-state.ts";
import { COLUMN_PX_MIN, COLUMNS_MAX } from "./split-view.ts";
import type { Notify } from "./trouble.ts";

/** Adds a directory; returns the new project, or null if it was refused. */
export async function addProject(shell: Shell, path: string, notify: Notify): Promise<ProjectId | null> {
  const answer = await shell.attempt({ type: "project:add", path }, notify);
  if (answer?.type !== "project:added") return null;
  shell.useProject(answer.project.id);
  return answer.project.id;
}

/**
 * Creates a session and shows it while its agent starts. If refused, no tab and no row remain. If the user has moved to
 * something else meanwhile, the focus stays there and the session is only listed.
 */
export async function createSession(
  shell: Shell,
  { place, about, ...wish }: { projectId: ProjectId; cliType: CliType; place?: PlaceWish | undefined; about: string },
  notify: Notify,
  isWanted: () => boolean = () => true,
): Promise<SessionId | null> {
  const shown = shell.shownSession();
  shell.focusWanted.value = NEXT_SESSION;
  const commandId = newCommandId();
  const worktree = named(place?.worktree, about);
  const answer = await shell.attempt(
    { type: "session:create", ...wish, ...(worktree !== undefined && { worktree }), commandId, waitForAgent: false },
    notify,
  );
  const isAwaited = shell.focusWanted.peek() === NEXT_SESSION;
  if (isAwaited) shell.focusWanted.value = null;
  if (answer?.type !== "session:created" || !isWanted()) {
    if (isAwaited) takeBufferedText(); // its composer will not appear
    // It was created at the moment it was cancelled.
    if (answer?.type === "session:created")
      void shell.attempt({ type: "session:discard", sessionId: answer.sessionId });
    return null;
  }
  const worktreeId = answer.session.worktree?.worktreeId;
  if (worktreeId !== undefined && place?.setupHash !== undefined)
    void shell.attempt({ type: "worktree:setup", worktreeId, hash: place.setupHash });
  if (shell.shownSession() === shown) shell.open(answer.sessionId, { focus: true });
  return answer.sessionId;
}

/** A worktree that is made is named after the first words of its session. */
function named(worktree: PlaceWish["worktree"] | undefined, about: string): PlaceWish["worktree"] | undefined {
  const words = about.trim().slice(0, TITLE_CHARS_MAX);
  if (typeof worktree !== "object" || !("create" in worktree) || words === "") return worktree;
  return { create: { ...worktree.create, about: words } };
}

/** Archives at once, or asks first if that would stop a running agent. */
export function askToArchive(shell: Shell, sessionId: SessionId): void {
  const session = shell.server.peek().sessions.get(sessionId);
  if (session === undefined) return;
  if (isAtWork(shell.server.peek(), session)) shell.dialog.value = { kind: "archive", sessionId };
  else void archive(shell, sessionId);
}

/** Archives it with the sessions below it, and offers to undo that. */
export async function archive(shell: Shell, sessionId: SessionId): Promise<void> {
  const { sessions } = shell.server.peek();
  const ids = [sessionId, ...below(sessions, sessionId)];
  const open = shell.tabs.peek().order.filter((id) => ids.includes(id));
  const { active } = shell.tabs.peek();
  const title = sessions.get(sessionId)?.title ?? "the session";
  const answer = await shell.attempt({ type: "session:archive", sessionId });
  if (answer === null) return;
  const undo = async () => {
    // The parent first: a session without its parent would not be listed.
    for (const id of ids) await shell.attempt({ type: "session:unarchive", sessionId: id });
    for (const id of open) shell.open(id);
    if (active !== null && shell.tabs.peek().order.includes(active)) shell.open(active);
  };
  shell.undoable.value = {
    words: `Archived “${title}”`,
    command: `Undo: archive “${title}”`,
    undo: () => {
      shell.undoable.value = null;
      void undo();
    },
  };
}

function below(sessions: ShellState["sessions"], parent: SessionId): readonly SessionId[] {
  const children = [...sessions.values()].filter(({ parentId }) => parentId === parent);
  return children.flatMap(({ id }) => [id, ...below(sessions, id)]);
}

/** Marks a session as unread or read. */
export function markUnread(shell: Shell, sessionId: SessionId, isUnread: boolean): void {
  if (isUnread) shell.seen.leaveUnread(sessionId);
  void shell.attempt({ type: "session:mark", sessionId, unread: isUnread });
}

/** Ends the agent's process at once, or asks first if that would interrupt work. */
export function askToKill(shell: Shell, sessionId: SessionId): void {
  const session = shell.server.peek().sessions.get(sessionId);
  if (session === undefined) return;
  if (isAtWork(shell.server.peek(), session)) shell.dialog.value = { kind: "kill", sessionId };
  else void shell.attempt({ type: "session:kill", sessionId });
}

/** Opens the dialog that hands the conversation over to a terminal; false for an agent that does not support it. */
export function askToHandBack(shell: Shell, sessionId: SessionId): boolean {
  const state = shell.server.peek();
  const session = state.sessions.get(sessionId);
  if (session === undefined || agentOf(state, session.cliType)?.capabilities["handback"] !== true) return false;
  shell.dialog.value = { kind: "handback", sessionId };
  return true;
}

/** Shows what merging the session's worktree would do. */
export function askToMerge(shell: Shell, { projectId, worktree }: SessionRow): void {
  if (worktree === null) return;
  shell.dialog.value = { kind: "worktree", task: "merge", projectId, worktreeId: worktree.worktreeId };
}

/** Stops the session's turn, then those of all agents below it: a stopped parent starts nothing more. */
export function stopTree(shell: Shell, session: SessionRow): void {
  const { sessions } = shell.server.peek();
  if (isTurnActive(session.turn) || session.waitsForAgents === true)
    void shell.attempt({ type: "session:cancel", sessionId: session.id });
  for (const child of sessions.values()) if (child.parentId === session.id) stopTree(shell, child);
}

/** Opens the title field in place of the title. */
export function startRename(shell: Shell, id: SessionId, place: "row" | "tab" = "row"): void {
  shell.focusWanted.value = null;
  shell.renaming.value = { id, place };
}

/** Deleting is permanent: it always asks first. */
export function askToDelete(shell: Shell, sessionId: SessionId): void {
  shell.dialog.value = { kind: "delete", sessionId };
}

/** The session or one of its children, because archiving ends both. */
function isAtWork({ sessions }: Pick<ShellState, "sessions">, session: SessionRow): boolean {
  const children = [...sessions.values()].filter(({ parentId }) => parentId === session.id);
  return isTurnActive(session.turn) || children.some((child) => isAtWork({ sessions }, child));
}

/** Opens the form of a new session, for a project or with the choice of a directory. */
export function askForSession(shell: Shell, inProject?: ProjectId): void {
  const ask = (projectId: ProjectId | null) => {
    shell.dialog.value = { kind: "new-session", projectId };
  };
  if (inProject === undefined) onceListed(shell, () => ask(shell.projectAtHand()));
  else ask(inProject);
}

/** Opens the next waiting session, longest first, wrapping around; false if none waits. */
export function openNextWaiting(shell: Shell): boolean {
  const waiting = waitingSessions(shell.server.peek());
  const shown = shell.shownSession();
  const next = waiting[shown === null ? 0 : waiting.indexOf(shown) + 1] ?? waiting[0];
  if (next === undefined) return false;
  shell.open(next, { focus: true });
  return true;
}

/**
 * Runs `act` as soon as projects and sessions are loaded, which is shortly after the page is shown, so that an early key
 * is not lost. Skipped if a dialog was opened meanwhile.
 */
export function onceListed(shell: Shell, act: () => void): void {
  if (isComplete(shell.server.peek())) {
    act();
    return;
  }
  const stop = effect(() => {
    if (!isComplete(shell.server.value)) return;
    stop();
    untracked(() => {
      if (shell.dialog.peek().kind === "none") act();
    });
  });
}

/** There is room for another column, and another session. */
export function canOpenBeside(shell: Shell): boolean {
  const columns = Math.max(1, shell.split.value.columns.length);
  const room = Math.min(COLUMNS_MAX, Math.floor(shell.stagePx.value / COLUMN_PX_MIN));
  return shell.tabs.value.order.length > 0 && columns < room;
}

/** The next open session that is not in view, wrapping around the tabs. */
export function nextBeside(shell: Shell): SessionId | null {
  const { order, active } = shell.tabs.peek();
  const { columns } = shell.split.peek();
  const at = active === null ? 0 : order.indexOf(active);
  const others = [...order.slice(at + 1), ...order.slice(0, at)];
  return others.find((id) => !columns.includes(id)) ?? null;
}

interface SignInWish {
  readonly cliType: CliType;
  readonly methodId: string;
  /** Where the page continues after a login in a terminal, and if the user cancels it. */
  readonly done: ShellDialog;
  readonly back: ShellDialog;
}

/** Runs one of the agent's own methods. True if signed in; a login that needs a terminal is shown in one. */
export async function signIn(shell: Shell, wish: SignInWish, notify: Notify): Promise<boolean> {
  const { cliType, methodId, done, back } = wish;
  const answer = await shell.attempt({ type: "agent:authenticate", cliType, methodId }, notify);
  if (answer?.type === "terminal:opened") {
    const { terminalId, title } = answer;
    shell.dialog.value = { kind: "terminal", terminalId, title, cliType, methodId, done, back };
  }
  return answer?.type === "ok";
}
