import { effect } from "@preact/signals";
import type { Connection } from "../../client/connection.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { type PortletToShell, readFromPortlet } from "../../protocol/portlet-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import type { KeyPress } from "../../ui/keys/shell-shortcut.ts";
import { takeBufferedText } from "../state/composer-buffer.ts";
import type { Shell } from "../state/shell.ts";
import { askToKill, stopTree } from "../state/shell-actions.ts";
import type { ShellDialog } from "../state/shell-dialog.ts";
import { isComplete, rowOf } from "../state/shell-state.ts";
import { PortletFrame } from "./portlet-frame.ts";
import { PortletSession } from "./portlet-session.ts";

/** Restored tabs are loaded ahead up to this many; the rest load when they are shown. */
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

/** Keeps the frames of the page in line with its tabs, for as long as the page lives. */
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

/** The frames of the open sessions, kept alive behind each other, and one spare that is already loaded. */
class Portlets {
  readonly #options: PortletsOptions;
  readonly #portlets = new Map<SessionId, Portlet>();
  #spare: PortletFrame | null = null;
  /** Sessions that are not drawn yet: a frame that is loaded ahead would only be in their way. */
  readonly #opening = new Set<SessionId>();
  /** The session a key opened a dialog from. */
  #cameFrom: SessionId | null = null;

  constructor(options: PortletsOptions) {
    this.#options = options;
  }

  /** Brings the frames in line with the tabs. Runs again whenever something it read has changed. */
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

  /** What is hidden stands where it would be shown: in the place of what has the focus. */
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

  /** It has its history, and draws it with the next frame: what is done ahead comes after that. */
  #opened(id: SessionId): void {
    const { afterRender, whenIdle } = this.#options;
    afterRender(() =>
      afterRender(() => {
        this.#opening.delete(id);
        whenIdle(() => this.#loadAhead());
      }),
    );
  }

  /** One frame at a time, so that what the user looks at is never slowed down. */
  #loadAhead(): void {
    const { shell } = this.#options;
    if (this.#isLoading()) return;
    const state = shell.server.peek();
    const next = shell.tabs.peek().order.find((id) => !this.#portlets.has(id) && state.sessions.has(id));
    if (next !== undefined && this.#portlets.size < FRAMES_AHEAD_MAX) this.#ensure(next);
    // A page without sessions is looked at first: what a session needs is fetched once there is one to open.
    if (state.sessions.size > 0 && !this.#isLoading()) this.#spare ??= this.#newFrame();
  }

  #isLoading(): boolean {
    return this.#spare?.ready === false || this.#opening.size > 0;
  }

  /** A dialog holds the focus until it is gone from the page, which is one frame after it was closed. */
  giveFocus(): void {
    const { shell, afterRender } = this.#options;
    const id = shell.focusWanted.value?.id ?? null;
    if (id === null || shell.dialog.value.kind !== "none") return;
    // The on-screen keyboard would cover what was just opened.
    if (matchMedia("(pointer: coarse)").matches) shell.focusWanted.value = null;
    else afterRender(() => this.#giveFocusTo(id));
  }

  /** A frame that still loads gets the keyboard, and what was typed meanwhile, when it listens. */
  #giveFocusTo(id: SessionId): void {
    const { shell, afterRender } = this.#options;
    if (shell.focusWanted.peek()?.id !== id || shell.dialog.peek().kind !== "none") return;
    if (document.querySelector("dialog[open]") !== null) {
      afterRender(() => this.#giveFocusTo(id));
      return;
    }
    const frame = this.#portlets.get(id)?.frame;
    if (frame?.visible && !frame.ready) return;
    shell.focusWanted.value = null;
    const typed = takeBufferedText();
    if (frame?.visible && shell.renaming.peek() === null) frame.focus(typed);
  }

  /** Browsers lose the place of the cursor in a frame behind a dialog: whoever came from there goes back to it. */
  giveFocusBack(): void {
    const { shell, afterRender } = this.#options;
    const id = this.#cameFrom;
    if (shell.dialog.value.kind !== "none" || id === null) return;
    afterRender(() => {
      // The one dialog may have led to another, or to a place in the transcript.
      if (shell.dialog.peek().kind !== "none" || this.#cameFrom !== id) return;
      this.#cameFrom = null;
      if (shell.renaming.peek() === null && shell.shownSession() === id) this.#portlets.get(id)?.frame.focus();
    });
  }

  /** As with the focus: the dialog that led here is gone first. */
  reveal(): void {
    const { shell, afterRender } = this.#options;
    const wanted = shell.revealWanted.value;
    if (wanted === null || shell.dialog.value.kind !== "none") return;
    shell.revealWanted.value = null;
    this.#cameFrom = null;
    afterRender(() => {
      const portlet = this.#portlets.get(wanted.id);
      portlet?.frame.focusInside();
      portlet?.session.reveal(wanted.entryId);
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

  #show(what: Shown, row: SessionRow): void {
    const { shell } = this.#options;
    if (what === "kill") askToKill(shell, row.id);
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
      // Said of a moment ago: by now the user may be elsewhere.
      if (frame.visible && frame.hasFocus && shell.shownSession() !== id) shell.open(id);
      return;
    }
    const row = shell.server.peek().sessions.get(id);
    if (row === undefined) return;
    if (isOutput(message)) shell.dialog.value = { ...message, kind: "output", sessionId: id };
    else if (isShow(message)) this.#show(message.what, row);
    else if (message.type === "portlet:parent") openParent(shell, row);
    else if (message.type === "portlet:stop-tree") stopTree(shell, row);
    else if (isChild(message)) actOnChild(shell, row, message);
    else void session.command(message, row);
  }
}

function isKey(message: PortletToShell): message is Extract<PortletToShell, { key: string }> {
  return message.type === "portlet:key";
}

function isOutput(message: PortletToShell): message is Extract<PortletToShell, { entryId: string }> {
  return message.type === "portlet:output";
}

function isChild(message: PortletToShell): message is Extract<PortletToShell, { childId: string }> {
  return message.type === "portlet:child";
}

/** Names of sessions come from a frame: it may speak of its own agents only. */
function actOnChild(shell: Shell, { id }: SessionRow, message: Extract<PortletToShell, { childId: string }>): void {
  const { act, childId: sessionId } = message;
  if (shell.server.peek().sessions.get(sessionId)?.parentId !== id) return;
  if (act === "open") shell.open(sessionId, { focus: true });
  else if (act === "stop") void shell.attempt({ type: "session:cancel", sessionId });
  else askToKill(shell, sessionId);
}

function openParent(shell: Shell, { parentId }: SessionRow): void {
  if (parentId !== undefined && rowOf(shell.server.peek(), parentId)) shell.open(parentId, { focus: true });
}

function isShow(message: PortletToShell): message is Extract<PortletToShell, { what: string }> {
  return message.type === "portlet:show";
}

type Shown = Extract<PortletToShell, { what: string }>["what"];

function dialogOf(what: Exclude<Shown, "kill">, { id, cliType }: SessionRow): ShellDialog {
  return what === "sign-in" ? { kind: "sign-in", cliType } : { kind: what, sessionId: id };
}
