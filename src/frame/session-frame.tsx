import { batch, effect, signal } from "@preact/signals";
import { render } from "preact";
import { visibleOneLine } from "../lib/visible-text.ts";
import { commandOf } from "../protocol/command-of.ts";
import type { Entry } from "../protocol/entry.ts";
import { entriesOf } from "../protocol/fold-message.ts";
import { EntryId, SessionId, type TurnId } from "../protocol/ids.ts";
import { isPermission, requestIdOf } from "../protocol/pending-request.ts";
import { canAt } from "../protocol/place-capabilities.ts";
import type { ShellToPortlet, ShownOrigin } from "../protocol/portlet-messages.ts";
import type { PermissionToolCall } from "../protocol/session-parts.ts";
import { hasKeyboard, keepFocus } from "../ui/controls/keep-focus.ts";
import { openMenu } from "../ui/controls/open-menu.ts";
import { createElement } from "../ui/create-element.ts";
import { CodeHighlighter } from "../ui/highlight/highlight-code.ts";
import { agentIconName } from "../ui/icons/icon-shapes.ts";
import type { SessionWish } from "../ui/keys/shortcut-table.ts";
import { MarkdownView } from "../ui/markdown/markdown-view.ts";
import { newCommandId } from "../ui/new-command-id.ts";
import { permissionQuestion } from "../ui/permissions/permission-words.ts";
import { startAllAnew } from "../ui/permissions/settled-request.ts";
import { focusQuestion } from "../ui/questions/question-card.tsx";
import { ageWords } from "../ui/words/time-words.ts";
import type { ComposerState } from "./composer/composer-state.ts";
import { focusMessageField } from "./composer/message-field.tsx";
import { Dock } from "./dock.tsx";
import { EmptySession } from "./empty-session.tsx";
import { listenForKeys } from "./portlet-keys.ts";
import type { PortletState } from "./portlet-state.ts";
import { PortletStore } from "./portlet-store.ts";
import { ReadingTools } from "./reading/reading-tools.ts";
import { SessionHeader } from "./session-header.tsx";
import { linkShell } from "./shell-link.ts";
import { SidePanel } from "./side-panel.tsx";
import { SidePanelSlot } from "./side-panel-slot.tsx";
import { type AskedAloud, LiveSpeaker } from "./transcript/live-speaker.ts";
import { openMessageEditor } from "./transcript/parts/message-editor.ts";
import { deriveRows, NO_ROWS, type RowsInput } from "./transcript/rows.ts";
import { TranscriptView } from "./transcript/transcript-view.ts";

const TICK_MS = 1_000;
/** If the history takes longer than this, the frame is drawn without entries. */
const EMPTY_AFTER_MS = 100;
/** Signs that the user leaves, earliest first: typed text must not be lost with the frame. */
const LEAVING = ["blur", "beforeunload", "pagehide"];
/** The session's title is the frame's only heading of the first level; an answer's own are below it. */
const TITLE_LEVEL = 1;
/** Of a message that names a checkpoint. */
const MESSAGE_CHARS_MAX = 200;

/** One session's frame: connects the store, the transcript and the views around it. */
export class SessionFrame {
  readonly #window: Window;
  readonly #frames = new FrameFlush(() => this.#flush());
  readonly #link: ReturnType<typeof linkShell>;
  readonly #store: PortletStore;
  readonly #transcript: TranscriptView;
  readonly #reading: ReadingTools;
  readonly #panel = new SidePanel();
  readonly #speaker = new LiveSpeaker();
  readonly #keepFocus: () => void;
  readonly #state;
  readonly #composer;
  readonly #now = signal(Date.now());
  #rows = NO_ROWS;
  /** Drawn at least once for its session. */
  #isDrawn = false;
  #emptyTimer: ReturnType<typeof setTimeout> | null = null;
  #ticking: ReturnType<typeof setInterval> | null = null;
  /** Scrolled into view with the next flush: its row exists only then. */
  #found: EntryId | null = null;
  /** The focused element when an entry was requested: finding it may take longer than the user waits. */
  #focusedBefore: Element | null = null;

  constructor(window: Window) {
    this.#window = window;
    this.#link = linkShell(window, (message) => this.#receive(message));
    this.#store = new PortletStore({
      post: this.#link.post,
      newCommandId,
      onChange: () => this.#requestFlush(),
      onFound: (entryId) => {
        this.#found = entryId;
      },
    });
    this.#state = signal(this.#store.state);
    this.#composer = signal(this.#store.composer);
    this.#transcript = this.#createTranscript();
    this.#reading = new ReadingTools({
      transcript: this.#transcript,
      store: this.#store,
      rows: () => this.#rows,
      openFile: (place) => {
        if (canAt(this.#store.state.directory, "files")) this.#panel.open({ name: "files", place });
      },
    });
    this.#keepFocus = keepFocus(window.document, (around) => this.#giveFocusOn(around));
  }

  /** Draws the empty frame and posts `portlet:ready`. */
  open(): void {
    this.#mount();
    this.#listen();
    this.#link.post({ type: "portlet:ready" });
  }

  /**
   * The session's row arrives shortly before its history. Both are drawn in one step, unless the history is
   * slow: drawing an empty frame first would double the work until the session is visible.
   */
  #requestFlush(): void {
    const { isOpened, isConnected } = this.#store.state;
    if (this.#isDrawn || isOpened || !isConnected || this.#store.composer !== this.#composer.peek())
      this.#frames.request();
    else this.#emptyTimer ??= setTimeout(() => this.#frames.request(), EMPTY_AFTER_MS);
  }

  #receive(message: ShellToPortlet): void {
    if (message.type === "portlet:reveal") this.#focusedBefore = this.#window.document.activeElement;
    this.#store.receive(message);
    if (message.type === "portlet:visible") {
      startAllAnew();
      this.#frames.setVisible(message.visible);
      this.#tickWhile(message.visible);
    } else if (message.type === "portlet:focus" && this.#hasKeyboard) this.#focus();
    else if (message.type === "portlet:print") this.#reading.print();
    else if (message.type === "portlet:find") this.#reading.openFind();
    else if (message.type === "portlet:open-path") void this.#reading.openPath(message.path);
    else if (message.type === "portlet:open-changes") this.#panel.openChanges(message.scope ?? null);
    else if (message.type === "portlet:quote") {
      this.#store.addText(message.text);
      this.#focusComposer();
    } else if (message.type === "portlet:wish" && !this.#take(message.wish)) this.#store.cancelTurn();
  }

  /** Once per frame, and only while the frame is shown: changes since the last flush become visible in one step. */
  #flush(): void {
    const { state, composer } = this.#store;
    this.#isDrawn = true;
    if (this.#emptyTimer !== null) clearTimeout(this.#emptyTimer);
    const before = this.#rows.tail.filter(({ kind }) => kind === "pending").length;
    this.#rows = deriveRows(rowsInputOf(state, composer), this.#rows);
    this.#transcript.update(this.#rows, state.session.hasMore);
    // After sending, the view follows the answer.
    if (this.#rows.tail.filter(({ kind }) => kind === "pending").length > before) this.#transcript.follow();
    if (this.#found !== null) this.#transcript.reveal(this.#found, this.#mayTakeKeyboard());
    this.#found = null;
    this.#reading.update();
    if (state.isOpened) this.#speaker.update(this.#rows, askedAloud(state));
    batch(() => {
      this.#state.value = state;
      this.#composer.value = composer;
    });
    this.#keepFocus();
  }

  #createTranscript(): TranscriptView {
    const { body } = this.#window.document;
    const highlighter = new CodeHighlighter({
      workerUrl: () => body.dataset["highlightWorker"] ?? "",
      failed: (reason) => console.warn(`code is not highlighted: ${reason}`),
    });
    return new TranscriptView({
      now: () => Date.now(),
      agentName: () => this.#store.state.agentName,
      directory: () => this.#store.state.directory,
      onNearTop: () => this.#store.askForOlder(),
      onFirstWanted: () => void this.#reading.take("first-message"),
      createProse: () =>
        new MarkdownView({
          headingLevel: TITLE_LEVEL,
          codeSettled: (block) => highlighter.watch(block),
          openPath: (path) => void this.#reading.openPath(path),
        }),
    });
  }

  #mount(): void {
    const header = createElement("div", "session-head-slot");
    const dock = createElement("div", "dock");
    const transcript = this.#transcript;
    const model = {
      state: this.#state,
      composer: this.#composer,
      now: this.#now,
      store: this.#store,
      panel: this.#panel,
    };
    const conversation = createElement("div", "session-main", transcript.element, dock);
    const panel = createElement("div", "side-panel-slot");
    const split = createElement("div", "session-split", conversation, panel);
    const main = createElement("main", "session", header, split, this.#speaker.element);
    // The shell has its own main element, and so has each session beside this one.
    effect(() => {
      const { session, column } = this.#state.value;
      // Two columns may have the same title; screen reader users need to distinguish them.
      const place = column === null ? "" : `, column ${column}`;
      main.setAttribute("aria-label", `Session ${session.title}`.trim() + place);
    });
    this.#window.document.body.append(main);
    render(<SessionHeader model={model} />, header);
    render(<EmptySession model={model} />, transcript.emptySlot);
    render(<Dock model={model} />, dock);
    render(<SidePanelSlot model={model} />, panel);
  }

  #listen(): void {
    const { document } = this.#window;
    listenForKeys(this.#window, {
      link: this.#link,
      store: this.#store,
      focusComposer: () => this.#focusComposer(),
      take: (wish) => this.#take(wish),
      closePanel: () => this.#panel.close(),
    });
    this.#transcript.element.addEventListener("click", ({ target }) => {
      this.#actOnTurnEnd(target);
      this.#showWhole(target);
      this.#editMessage(target);
      this.#actOnChanges(target);
      this.#actOnSessions(target);
      this.#saveSnippet(target);
      this.#actOnBranches(target);
      this.#openBranches(target);
    });
    this.#tickWhile(true);
    this.#window.addEventListener("focus", () => this.#link.post({ type: "portlet:focused" }));
    const leave = () => this.#link.atOnce(() => this.#store.keepDraft());
    for (const leaving of LEAVING) this.#window.addEventListener(leaving, leave);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") leave();
    });
  }

  /** Runs a reading or side panel action of a key or the palette; false for any other action. */
  #take(wish: SessionWish | null): boolean {
    // At another machine, neither may be possible.
    if ((wish === "files" || wish === "changes") && !canAt(this.#store.state.directory, wish)) return false;
    if (wish === "files") this.#panel.toggle({ name: "files", place: null });
    else if (wish === "changes") this.#panel.toggle({ name: "changes", scope: null, path: null });
    else if (wish === "branch") this.#branchHere();
    else if (wish === "continue") this.#store.show("continue");
    else return this.#reading.take(wish);
    return true;
  }

  #actOnTurnEnd(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-turn-end]") : null;
    if (button === null) return;
    if (button.dataset["turnEnd"] === "sign-in") this.#store.show("sign-in");
    else if (button.dataset["turnEnd"] === "afresh") this.#store.retryAfresh();
    else this.#store.retryTurn();
  }

  #showWhole(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-whole-output]") : null;
    const article = button?.closest<HTMLElement>("[data-entry-id]");
    const entryId = EntryId.safeParse(article?.dataset["entryId"]).data;
    if (!button || entryId === undefined) return;
    const part = button.dataset["wholeOutput"] ?? "";
    const name = article?.querySelector(".line > .name")?.textContent ?? "";
    this.#link.post({ type: "portlet:output", entryId, name, ...(part !== "" && { part: Number(part) }) });
  }

  #editMessage(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest("[data-edit-message]") : null;
    const entryId = button?.closest<HTMLElement>("[data-entry-id]")?.dataset["entryId"];
    if (entryId === undefined) return;
    const article = button?.closest<HTMLElement>("[data-entry-id]");
    const entry = entriesOf(this.#store.state.session).find((one) => one.entryId === entryId);
    if (!article || entry?.type !== "user") return;
    openMessageEditor({
      article,
      text: entry.content,
      branch: (content) => this.#store.branch({ at: entry.entryId, before: true, content }, entry.attachments),
      send: (content) => this.#store.resend(entry.entryId, content),
    });
  }

  /** Branches, and the context pack that an agent got with a message. */
  #actOnBranches(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-branch], [data-pack]") : null;
    const entryId = EntryId.safeParse(button?.closest<HTMLElement>("[data-entry-id]")?.dataset["entryId"]).data;
    if (!button || entryId === undefined) return;
    if (button.dataset["pack"] !== undefined)
      this.#link.post({ type: "portlet:output", entryId, name: "", isPack: true });
    else this.#branchFrom(entryId);
  }

  /** The chip where other sessions began: opens the session, or a list of them. */
  #openBranches(target: EventTarget | null): void {
    const chip = target instanceof Element ? target.closest<HTMLElement>("[data-branches]") : null;
    const branches = chip && this.#store.state.branches.get(chip.dataset["branches"] ?? "");
    if (!chip || !branches) return;
    const open = (sessionId: SessionId) => this.#link.post({ type: "portlet:open-session", sessionId });
    const [first, ...others] = branches;
    if (first && others.length === 0) open(first.sessionId);
    else
      openMenu(
        chip,
        "Branches from here",
        branches.map(({ sessionId, title, cliType, agentName, createdAt }) => ({
          ...{ words: visibleOneLine(title), icon: agentIconName(cliType) },
          end: `${agentName}, ${ageWords(createdAt, Date.now())}`,
          act: () => open(sessionId),
        })),
      );
  }

  #branchFrom(at: EntryId): void {
    this.#store.branch({ at }).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#store.receive({ type: "session:error", message });
    });
  }

  /** From the entry with the keyboard focus; without one, from the last. */
  #branchHere(): void {
    const focused = this.#window.document.activeElement?.closest<HTMLElement>("[data-entry-id]");
    const last = this.#store.state.session.settled.at(-1)?.entryId;
    const at = EntryId.safeParse(focused?.dataset["entryId"] ?? last).data;
    if (at !== undefined) this.#branchFrom(at);
  }

  #saveSnippet(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest("[data-save-snippet]") : null;
    const entryId = button?.closest<HTMLElement>("[data-entry-id]")?.dataset["entryId"];
    const entry = entriesOf(this.#store.state.session).find((one) => one.entryId === entryId);
    if (button && entry) this.#link.post({ type: "portlet:save-snippet", body: entry.content });
  }

  /** A sub-agent's Stop, and a session that a message mentions. */
  #actOnSessions(target: EventTarget | null): void {
    const button =
      target instanceof Element ? target.closest<HTMLElement>("[data-stop-sub-agent], [data-session]") : null;
    const { stopSubAgent: toolCallId, session } = button?.dataset ?? {};
    if (toolCallId !== undefined) this.#store.ask({ type: "session:stop-subagent", toolCallId });
    const sessionId = SessionId.safeParse(session).data;
    if (sessionId !== undefined) this.#link.post({ type: "portlet:open-session", sessionId });
  }

  /** The line at the end of a turn, and the notice about a restore. */
  #actOnChanges(target: EventTarget | null): void {
    const button =
      target instanceof Element ? target.closest<HTMLElement>("[data-changes], [data-undo-restore]") : null;
    const entryId = button?.closest<HTMLElement>("[data-entry-id]")?.dataset["entryId"];
    if (!button || entryId === undefined) return;
    const { undoRestore, changes: act, path } = button.dataset;
    if (undoRestore !== undefined) this.#store.undoRestore(undoRestore);
    const entries = entriesOf(this.#store.state.session);
    const entry = entries.find((one) => one.entryId === entryId);
    if (entry?.type !== "changes") return;
    const { turnId, before } = entry;
    if (act === "restore") this.#store.restore(before, messageOf(entries, turnId));
    else if (turnId !== undefined) this.#panel.openChanges({ kind: "turn", turnId }, path ?? null);
  }

  /** A hidden frame wakes up for nothing. */
  #tickWhile(isVisible: boolean): void {
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#ticking = isVisible ? setInterval(() => this.#tick(), TICK_MS) : null;
    if (isVisible) this.#tick();
  }

  #tick(): void {
    this.#now.value = Date.now();
    this.#transcript.tick();
    this.#keepFocus();
  }

  /** A dialog of the shell may have taken the focus meanwhile. */
  get #hasKeyboard(): boolean {
    return hasKeyboard(this.#window.document);
  }

  /** For an entry that was asked for: not from a control or a session that the user has moved to meanwhile. */
  #mayTakeKeyboard(): boolean {
    const { activeElement, body } = this.#window.document;
    const isMoved = activeElement !== this.#focusedBefore && activeElement !== body;
    return this.#hasKeyboard && (!isMoved || activeElement?.matches("textarea#message") === true);
  }

  /** An open question gets the focus before the composer, unless a message is being typed. */
  #focus(): void {
    const isBegun = this.#store.composer.text !== "";
    if (isBegun || !focusQuestion(this.#window.document)) this.#focusComposer();
  }

  /** A button may be removed by its own action, or be scrolled away: the side panel keeps the focus that was in it. */
  #giveFocusOn(around: Element | null): void {
    if (around !== null && this.#panel.takeFocus(around)) return;
    // On touch devices, the on-screen keyboard would cover the text.
    if (!matchMedia("(pointer: coarse)").matches) this.#focus();
  }

  #focusComposer(): void {
    focusMessageField(this.#window.document, this.#store);
  }
}

/** The user's message of a turn, cut to one line. */
function messageOf(entries: readonly Entry[], turnId: TurnId | undefined): string | undefined {
  const asked = entries.findLast((entry) => entry.type === "user" && entry.turnId === turnId);
  return asked === undefined || asked.content === "" ? undefined : asked.content.slice(0, MESSAGE_CHARS_MAX);
}

function beganWords({ agentName: before }: ShownOrigin, agentName: string): string {
  return before === undefined ? "Branched here" : `Branched here · ${before} → ${agentName}`;
}

/** The input of the transcript: the session, and the messages this page has just sent. */
function rowsInputOf(state: PortletState, { outgoing }: ComposerState): RowsInput {
  const { session, status, agentName, undos, branches, origin } = state;
  const { settled, open, turn, pending, pause, hasMore } = session;
  return {
    settled,
    open,
    turn,
    status,
    isPaused: pause !== null,
    agentName,
    undos,
    branches,
    began: origin?.entryId === undefined ? null : { entryId: origin.entryId, words: beganWords(origin, agentName) },
    hasMore,
    pending: outgoing.filter(({ place }) => place === "transcript"),
    asked: new Set(pending.flatMap((one) => (isPermission(one) ? one.toolCall.toolCallId : (one.toolCallId ?? [])))),
  };
}

/** Batches changes into one flush per frame, and into none while the frame is hidden. */
class FrameFlush {
  readonly #flush: () => void;
  #isVisible = true;
  #isStale = false;
  #frame: number | null = null;

  constructor(flush: () => void) {
    this.#flush = flush;
  }

  /** Something changed: shown with the next frame, or when the frame is shown again. */
  request(): void {
    this.#isStale = true;
    if (this.#isVisible) this.#frame ??= requestAnimationFrame(() => this.run());
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    // Caught up in one step, before the frame is painted for the first time.
    if (isVisible && this.#isStale) this.run();
  }

  /** Flushes pending changes now. */
  run(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    if (!this.#isStale || !this.#isVisible) return;
    this.#isStale = false;
    this.#flush();
  }
}

const SPOKEN_CHARS_MAX = 400;

/** The shown request as text for screen readers. */
function askedAloud({ session, agentName }: PortletState): AskedAloud | null {
  const [first] = session.pending;
  if (first === undefined) return null;
  const words = isPermission(first)
    ? `${permissionQuestion(first.toolCall)} ${subjectOf(first.toolCall)}`
    : first.message;
  return { id: requestIdOf(first), words: `${agentName} asks: ${words}` };
}

/** The command itself, since a tool's name may be misleading; longer ones are only in the card. */
function subjectOf({ name, input }: PermissionToolCall): string {
  const command = commandOf(input);
  const words = command === null || name.includes(command) ? name : `${name}: ${command}`;
  return words.length > SPOKEN_CHARS_MAX
    ? `${visibleOneLine(words.slice(0, SPOKEN_CHARS_MAX))} … and more`
    : visibleOneLine(words);
}
