import { effect, untracked } from "@preact/signals";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import { isTurnActive, type SessionRow } from "../../protocol/session-schema.ts";
import { newCommandId } from "../../ui/new-command-id.ts";
import { waitingSessions } from "./attention.ts";
import { takeBufferedText } from "./composer-buffer.ts";
import { NEXT_SESSION, type Shell } from "./shell.ts";
import type { ShellDialog } from "./shell-dialog.ts";
import { isComplete, type ShellState } from "./shell-state.ts";
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
 * Creates a session and shows it while its agent starts. If refused, no tab and no row remain. A user who has moved to
 * something else meanwhile keeps the keyboard; the session is then only listed.
 */
export async function createSession(
  shell: Shell,
  wish: { projectId: ProjectId; cliType: CliType },
  notify: Notify,
  isWanted: () => boolean = () => true,
): Promise<SessionId | null> {
  const shown = shell.shownSession();
  shell.focusWanted.value = NEXT_SESSION;
  const commandId = newCommandId();
  const answer = await shell.attempt({ type: "session:create", ...wish, commandId, waitForAgent: false }, notify);
  const isAwaited = shell.focusWanted.peek() === NEXT_SESSION;
  if (isAwaited) shell.focusWanted.value = null;
  if (answer?.type !== "session:created" || !isWanted()) {
    if (isAwaited) takeBufferedText(); // its composer will not come
    // It was created at the moment it was cancelled.
    if (answer?.type === "session:created")
      void shell.attempt({ type: "session:discard", sessionId: answer.sessionId });
    return null;
  }
  if (shell.shownSession() === shown) shell.open(answer.sessionId, { focus: true });
  return answer.sessionId;
}

/** Creates a session and sends its first message. */
export async function startWithPrompt(
  shell: Shell,
  start: { readonly projectId: ProjectId; readonly cliType: CliType; readonly prompt: string },
): Promise<void> {
  const notify: Notify = (words) => shell.notify(words);
  const sessionId = await createSession(shell, { projectId: start.projectId, cliType: start.cliType }, notify);
  if (sessionId !== null) await shell.attempt({ type: "session:send", sessionId, content: start.prompt }, notify);
}

/** Archives at once, or asks first when that would stop an agent at work. */
export function askToArchive(shell: Shell, sessionId: SessionId): void {
  const session = shell.server.peek().sessions.get(sessionId);
  if (session === undefined) return;
  if (isAtWork(shell.server.peek(), session)) shell.dialog.value = { kind: "archive", sessionId };
  else void shell.attempt({ type: "session:archive", sessionId });
}

/** Ends the agent's process, at once, or after a question when that would break off work. */
export function askToKill(shell: Shell, sessionId: SessionId): void {
  const session = shell.server.peek().sessions.get(sessionId);
  if (session === undefined) return;
  if (isAtWork(shell.server.peek(), session)) shell.dialog.value = { kind: "kill", sessionId };
  else void shell.attempt({ type: "session:kill", sessionId });
}

/** Stops the session's turn, then those of all agents below it: what is stopped first starts nothing more. */
export function stopTree(shell: Shell, session: SessionRow): void {
  const { sessions } = shell.server.peek();
  if (isTurnActive(session.turn) || session.waitsForAgents === true)
    void shell.attempt({ type: "session:cancel", sessionId: session.id });
  for (const child of sessions.values()) if (child.parentId === session.id) stopTree(shell, child);
}

/** Lets the user type a title where it stands; the cursor stays there. */
export function startRename(shell: Shell, id: SessionId, place: "row" | "tab" = "row"): void {
  shell.focusWanted.value = null;
  shell.renaming.value = { id, place };
}

/** Deleting is for good: it always asks first. */
export function askToDelete(shell: Shell, sessionId: SessionId): void {
  shell.dialog.value = { kind: "delete", sessionId };
}

/** Itself, or something it has started: archiving ends both. */
function isAtWork({ sessions }: Pick<ShellState, "sessions">, session: SessionRow): boolean {
  const children = [...sessions.values()].filter(({ parentId }) => parentId === session.id);
  return isTurnActive(session.turn) || children.some((child) => isAtWork({ sessions }, child));
}

/** Opens the picker for a project; without any, what comes first is adding one. */
export function askForSession(shell: Shell, inProject?: ProjectId): void {
  const ask = (projectId: ProjectId | null) => {
    shell.dialog.value = projectId === null ? { kind: "add-project" } : { kind: "new-session", projectId };
  };
  if (inProject === undefined) onceListed(shell, () => ask(shell.projectAtHand()));
  else ask(inProject);
}

/** Goes through the sessions that wait, the longest first and around the end; false when none waits. */
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

/** There is room for one more column, and something to stand beside. */
export function canOpenBeside(shell: Shell): boolean {
  const columns = Math.max(1, shell.split.value.columns.length);
  const room = Math.min(COLUMNS_MAX, Math.floor(shell.stagePx.value / COLUMN_PX_MIN));
  return shell.tabs.value.order.length > 0 && columns < room;
}

/** The next open session that is not in view yet, around the end of the tabs. */
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
  /** Where the page goes on after a login in a terminal, and when the user leaves that. */
  readonly done: ShellDialog;
  readonly back: ShellDialog;
}

/** Walks one of the agent's own methods. True when signed in; a login that needs a terminal is shown in one. */
export async function signIn(shell: Shell, wish: SignInWish, notify: Notify): Promise<boolean> {
  const { cliType, methodId, done, back } = wish;
  const answer = await shell.attempt({ type: "agent:authenticate", cliType, methodId }, notify);
  if (answer?.type === "terminal:opened") {
    const { terminalId, title } = answer;
    shell.dialog.value = { kind: "terminal", terminalId, title, cliType, methodId, done, back };
  }
  return answer?.type === "ok";
}
