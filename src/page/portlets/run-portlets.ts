import { effect } from "@preact/signals";
import type { Connection } from "../../client/connection.ts";
import type { EntryId, SessionId } from "../../protocol/ids.ts";
import { type PortletToShell, readFromPortlet, type ShellView } from "../../protocol/portlet-commands.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import type { KeyPress } from "../../ui/keys/shell-shortcut.ts";
import { takeBufferedText } from "../state/composer-buffer.ts";
import type { Shell } from "../state/shell.ts";
import { askToKill, askToMerge, stopTree } from "../state/shell-actions.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import { isComplete, rowOf } from "../state/shell-state.ts";
import { PortletFrame } from "./portlet-frame.ts";
import { PortletSession } from "./portlet-session.ts";

/** Restored tabs are preloaded up to this many; the rest load when they are shown. */
const FRAMES_AHEAD_MAX = 12;

interface PortletsOptions {
  readonly container: Element;
  readonly origin: string;
  readonly shell: Shell;
  readonly connection: Connection;
  readonly onKey: (press: KeyPress) => void;
  readonly whenIdle: (call: () => void) => void;
  readonly afterRender: (call: () => void) => void;
}

interface Portlet {
  readonly frame: PortletFrame;
  readonly session: PortletSession;
}

const WHOLE_STAGE = { start: 0, width: 1 };

/** Keeps the frames in sync with the tabs for the lifetime of the page. */
export function runPortlets(options: PortletsOptions): void {
  const { shell, container } = options;
  const measure = () => {
    shell.stagePx.value = container.clientWidth;
  };
  measure();
  new ResizeObserver(measure).observe(container);
  const portlets = new Portlets(options);
  addEventListener("message", (event) => portlets.onMessage(event));
  effect(() => portlets.followTabs());
  effect(() => portlets.giveFocus());
  effect(() => portlets.giveFocusBack());
  effect(() => portlets.reveal());
}

/** The frames of the open sessions, kept alive behind each other, and one preloaded spare. */
class Portlets {
  readonly #options: PortletsOptions;
  readonly #portlets = new Map<SessionId, Portlet>();
  #spare: PortletFrame | null = null;
  /** Sessions that are not drawn yet: preloading another frame would delay them. */
  readonly #opening = new Set<SessionId>();
  /** The session from which a key opened a dialog. */
  #cameFrom: SessionId | null = null;

  constructor(options: PortletsOptions) {
    this.#options = options;
  }

  /** Syncs the frames with the tabs. Runs again whenever something it read has changed. */
  followTabs(): void {
    const { shell } = this.#options;
    const { order } = shell.tabs.value;
    const state = shell.server.value;
    const connected = shell.phase.value.phase === "open";
    for (const [id, { session }] of this.#portlets) {
      if (order.includes(id)) continue;
      session.end();
      this.#portlets.delete(id);
      this.#opening.delete(id);
    }
    for (const { id } of shell.shown.value) if (state.sessions.has(id)) this.#ensure(id);
    for (const { session } of this.#portlets.values()) session.update(state, connected);
    this.#place();
    if (isComplete(state)) this.#options.whenIdle(() => this.#loadAhead());
  }

  /** A hidden frame has the position of the focused one, where it would be shown. */
  #place(): void {
    const { shell, container } = this.#options;
    const shown = new Map(shell.shown.value.map((column) => [column.id, column]));
    const { active } = shell.tabs.value;
    const focused = active === null ? undefined : shown.get(active);
    container.toggleAttribute("data-split", shown.size > 1);
    for (const [id, { frame }] of this.#portlets) {
      const column = shown.get(id);
      frame.place(column ?? focused ?? WHOLE_STAGE);
      frame.show(
        column !== undefined,
        column !== undefined && shown.size > 1 ? [...shown.keys()].indexOf(id) + 1 : null,
      );
    }
  }

  #ensure(id: SessionId): void {
    if (this.#portlets.has(id)) return;
    const { connection, shell } = this.#options;
    const frame = this.#spare ?? this.#newFrame();
    this.#spare = null;
    this.#opening.add(id);
    const session = new PortletSession(frame, connection, id, () => this.#opened(id));
    this.#portlets.set(id, { frame, session });
    if (frame.ready) session.greet(shell.server.peek(), shell.phase.peek().phase === "open");
  }

  /** It has its history and draws it in the next animation frame; preloading follows after that. */
  #opened(id: SessionId): void {
    const { afterRender, whenIdle } = this.#options;
    afterRender(() =>
      afterRender(() => {
        this.#opening.delete(id);
        whenIdle(() => this.#loadAhead());
      }),
    );
  }

  /** One frame at a time, so that the visible one is never slowed down. */
  #loadAhead(): void {
    const { shell } = this.#options;
    if (this.#isLoading()) return;
    const state = shell.server.peek();
    const next = shell.tabs.peek().order.find((id) => !this.#portlets.has(id) && state.sessions.has(id));
    if (next !== undefined && this.#portlets.size < FRAMES_AHEAD_MAX) this.#ensure(next);
    // Without sessions nothing is preloaded: a session's resources are fetched once there is one to open.
    if (state.sessions.size > 0 && !this.#isLoading()) this.#spare ??= this.#newFrame();
  }

  #isLoading(): boolean {
    return this.#spare?.ready === false || this.#opening.size > 0;
  }

  /** A dialog keeps the focus until it is removed, which is one animation frame after it was closed. */
  giveFocus(): void {
    const { shell, afterRender } = this.#options;
    const id = shell.focusWanted.value?.id ?? null;
    if (id === null || shell.dialog.value.kind !== "none") return;
    // The on-screen keyboard would cover the opened session.
    if (matchMedia("(pointer: coarse)").matches) shell.focusWanted.value = null;
    else afterRender(() => this.#giveFocusTo(id));
  }

  /** A frame that is still loading gets the focus, and the buffered text, when it is ready. */
  #giveFocusTo(id: SessionId): void {
    const { shell, afterRender } = this.#options;
    if (shell.focusWanted.peek()?.id !== id || shell.dialog.peek().kind !== "none") return;
    if (document.querySelector("dialog[open]") !== null) {
      afterRender(() => this.#giveFocusTo(id));
      return;
    }
    const frame = this.#portlets.get(id)?.frame;
    // One that a link names may be opened before it is listed: its frame is made then.
    const isComing = frame === undefined && shell.shownSession() === id && !shell.server.peek().sessions.has(id);
    if (isComing || (frame?.visible && !frame.ready)) return;
    shell.focusWanted.value = null;
    const typed = takeBufferedText();
    if (frame?.visible && shell.renaming.peek() === null) frame.focus(typed);
  }

  /** Browsers lose the cursor position in a frame behind a dialog: it is restored when the dialog closes. */
  giveFocusBack(): void {
    const { shell, afterRender } = this.#options;
    const id = this.#cameFrom;
    if (shell.dialog.value.kind !== "none" || id === null) return;
    afterRender(() => {
      // The dialog may have led to another one, or to an entry in the transcript.
      if (shell.dialog.peek().kind !== "none" || this.#cameFrom !== id) return;
      this.#cameFrom = null;
      if (shell.renaming.peek() === null && shell.shownSession() === id) this.#portlets.get(id)?.frame.giveFocusBack();
    });
  }

  /** As with the focus: after the dialog has closed. */
  reveal(): void {
    const { shell, afterRender } = this.#options;
    const wanted = shell.revealWanted.value;
    if (wanted === null || shell.dialog.value.kind !== "none") return;
    shell.revealWanted.value = null;
    this.#cameFrom = null;
    afterRender(() => {
      const portlet = this.#portlets.get(wanted.id);
      portlet?.frame.focusInside();
      portlet?.session.reveal(wanted.what);
    });
  }

  #newFrame(): PortletFrame {
    return new PortletFrame(this.#options.container, this.#options.origin);
  }

  onMessage(event: MessageEvent): void {
    if (event.origin !== this.#options.origin) return;
    if (this.#spare?.speaks(event.source)) {
      if (readFromPortlet(event.data)?.type !== "portlet:ready") return;
      this.#spare.ready = true;
      this.#options.whenIdle(() => this.#loadAhead());
      return;
    }
    const from = [...this.#portlets].find(([, { frame }]) => frame.speaks(event.source));
    const message = from === undefined ? null : readFromPortlet(event.data);
    if (from !== undefined && message) this.#onPortletMessage(from[0], from[1], message);
  }

  #show(what: ShellView, row: SessionRow): void {
    const { shell } = this.#options;
    if (what === "kill") askToKill(shell, row.id);
    else if (what === "worktrees") shell.showWorktrees(row.projectId);
    else if (what === "merge") askToMerge(shell, row);
    else shell.dialog.value = dialogOf(what, row);
  }

  #onPortletMessage(id: SessionId, { frame, session }: Portlet, message: PortletToShell): void {
    const { shell, onKey } = this.#options;
    if (message.type === "portlet:ready") {
      frame.ready = true;
      session.greet(shell.server.peek(), shell.phase.peek().phase === "open");
      this.#giveFocusTo(id);
      return;
    }
    if (isKey(message)) {
      onKey({ key: message.key, code: message.code, modifiers: message.modifiers, typing: false });
      if (shell.dialog.peek().kind === "none") return;
      this.#cameFrom = id;
      frame.blur(); // the next keys are meant for the dialog
      return;
    }
    if (message.type === "portlet:focused") {
      // The message is from a moment ago: by now another session may be active.
      if (frame.visible && frame.hasFocus && shell.shownSession() !== id) shell.open(id);
      return;
    }
    const row = shell.server.peek().sessions.get(id);
    if (row === undefined) return;
    if (isOutput(message)) shell.dialog.value = { ...message, kind: "output", sessionId: id };
    else if (isShow(message)) this.#show(message.what, row);
    else if (isRestore(message)) shell.dialog.value = { ...message, kind: "restore", sessionId: id, phase: "before" };
    else if (message.type === "portlet:parent") openParent(shell, row);
    else if (message.type === "portlet:offers-wanted") void session.offer(shell.server.peek());
    else if (isSnippet(message)) shell.dialog.value = { kind: "snippet", body: message.body, projectId: row.projectId };
    else if (isMention(message)) openMentioned(shell, message.sessionId);
    else if (message.type === "portlet:stop-tree") stopTree(shell, row);
    else if (isChild(message)) actOnChild(shell, row, message);
    else if (message.type === "portlet:origin") openMentioned(shell, row.origin?.sessionId ?? id, row.origin?.entryId);
    else if (isRequest(message))
      void session.request(message, row).then((answer) => {
        if (answer?.type === "session:created") shell.open(answer.sessionId, { focus: true });
      });
    else void session.command(message, row);
  }
}

function isKey(message: PortletToShell): message is Extract<PortletToShell, { key: string }> {
  return message.type === "portlet:key";
}

function isOutput(message: PortletToShell): message is Extract<PortletToShell, { type: "portlet:output" }> {
  return message.type === "portlet:output";
}

function isRequest(message: PortletToShell): message is Extract<PortletToShell, { command: unknown }> {
  return message.type === "portlet:request";
}

function isRestore(message: PortletToShell): message is Extract<PortletToShell, { checkpointId: string }> {
  return message.type === "portlet:restore";
}

function isChild(message: PortletToShell): message is Extract<PortletToShell, { childId: string }> {
  return message.type === "portlet:child";
}

/** Session ids come from a frame: it may only name its own agents. */
function actOnChild(shell: Shell, { id }: SessionRow, message: Extract<PortletToShell, { childId: string }>): void {
  const { act, childId: sessionId } = message;
  if (shell.server.peek().sessions.get(sessionId)?.parentId !== id) return;
  if (act === "open") shell.open(sessionId, { focus: true });
  else if (act === "stop") void shell.attempt({ type: "session:cancel", sessionId });
  else askToKill(shell, sessionId);
}

function isSnippet(
  message: PortletToShell,
): message is Extract<PortletToShell, { type: "portlet:save-snippet"; body: string }> {
  return message.type === "portlet:save-snippet";
}

function isMention(
  message: PortletToShell,
): message is Extract<PortletToShell, { type: "portlet:open-session"; sessionId: string }> {
  return message.type === "portlet:open-session";
}

/** At an entry, if one is named. */
function openMentioned(shell: Shell, sessionId: SessionId, entryId?: EntryId): void {
  if (rowOf(shell.server.peek(), sessionId))
    entryId ? shell.openAt(sessionId, entryId) : shell.open(sessionId, { focus: true });
  else shell.notify("This session was not found. It may have been archived or deleted.");
}

function openParent(shell: Shell, { parentId }: SessionRow): void {
  if (parentId !== undefined && rowOf(shell.server.peek(), parentId)) shell.open(parentId, { focus: true });
}

function isShow(message: PortletToShell): message is Extract<PortletToShell, { what: string }> {
  return message.type === "portlet:show";
}

function dialogOf(what: Exclude<ShellView, "kill" | "worktrees" | "merge">, { id, cliType }: SessionRow): ShellDialog {
  return what === "sign-in" ? { kind: "sign-in", cliType } : { kind: what, sessionId: id };
}
