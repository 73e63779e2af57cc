import { batch, effect, signal } from "@preact/signals";
import { render } from "preact";
import { visibleOneLine } from "../lib/visible-text.ts";
import { commandOf } from "../protocol/command-of.ts";
import { EntryId } from "../protocol/ids.ts";
import { isPermission, requestIdOf } from "../protocol/pending-request.ts";
import type { ShellToPortlet } from "../protocol/portlet-messages.ts";
import type { PermissionToolCall } from "../protocol/session-parts.ts";
import { createElement } from "../ui/create-element.ts";
import { CodeHighlighter } from "../ui/highlight/highlight-code.ts";
import { MarkdownView } from "../ui/markdown/markdown-view.ts";
import { newCommandId } from "../ui/new-command-id.ts";
import { permissionQuestion } from "../ui/permissions/permission-words.ts";
import { startAllAnew } from "../ui/permissions/settled-request.ts";
import { focusQuestion } from "../ui/questions/question-card.tsx";
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
import { type AskedAloud, LiveSpeaker } from "./transcript/live-speaker.ts";
import { deriveRows, NO_ROWS, type RowsInput } from "./transcript/rows.ts";
import { TranscriptView } from "./transcript/transcript-view.ts";

const TICK_MS = 1_000;
/** A history that takes longer than this is not waited for: the frame is drawn without entries. */
const EMPTY_AFTER_MS = 100;
/** Signs that the user turns elsewhere, the earliest first: nothing typed may be lost with the frame. */
const LEAVING = ["blur", "beforeunload", "pagehide"];
/** The session's title is the frame's one heading of the first level; an answer's own come below it. */
const TITLE_LEVEL = 1;

/** One session's frame: connects the store, the transcript and the views around it. */
export class SessionFrame {
  readonly #window: Window;
  readonly #frames = new FrameFlush(() => this.#flush());
  readonly #link: ReturnType<typeof linkShell>;
  readonly #store: PortletStore;
  readonly #transcript: TranscriptView;
  readonly #reading: ReadingTools;
  readonly #speaker = new LiveSpeaker();
  readonly #keepFocus: () => void;
  readonly #state;
  readonly #composer;
  readonly #now = signal(Date.now());
  #rows = NO_ROWS;
  /** Drawn at least once for its session. */
  #isDrawn = false;
  #emptyTimer: ReturnType<typeof setTimeout> | null = null;
  /** To be brought into view with the next flush: only then its row is there. */
  #found: EntryId | null = null;

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
    this.#reading = new ReadingTools({ transcript: this.#transcript, store: this.#store, rows: () => this.#rows });
    this.#keepFocus = keepFocus(window.document, () => this.#focus());
  }

  /** Draws the empty frame and posts `portlet:ready`. */
  open(): void {
    this.#mount();
    this.#listen();
    this.#link.post({ type: "portlet:ready" });
  }

  /**
   * The session's row arrives shortly before its history. Both are drawn in one step, unless the history is
   * slow: to draw first a frame that is empty would be twice the work until the session is seen.
   */
  #requestFlush(): void {
    const { isOpened, isConnected } = this.#store.state;
    if (this.#isDrawn || isOpened || !isConnected || this.#store.composer !== this.#composer.peek())
      this.#frames.request();
    else this.#emptyTimer ??= setTimeout(() => this.#frames.request(), EMPTY_AFTER_MS);
  }

  #receive(message: ShellToPortlet): void {
    this.#store.receive(message);
    if (message.type === "portlet:visible") {
      startAllAnew();
      this.#frames.setVisible(message.visible);
    } else if (message.type === "portlet:focus" && this.#hasKeyboard) this.#focus();
    else if (message.type === "portlet:print") this.#reading.print();
    else if (message.type === "portlet:find") this.#reading.openFind();
    else if (message.type === "portlet:wish" && !this.#reading.take(message.wish)) this.#store.cancelTurn();
  }

  /** Once per frame, and only while the frame is shown: what was folded since becomes visible in one step. */
  #flush(): void {
    const { state, composer } = this.#store;
    this.#isDrawn = true;
    if (this.#emptyTimer !== null) clearTimeout(this.#emptyTimer);
    const before = this.#rows.tail.filter(({ kind }) => kind === "pending").length;
    this.#rows = deriveRows(rowsInputOf(state, composer), this.#rows);
    this.#transcript.update(this.#rows, state.session.hasMore);
    // After sending, the view follows the answer.
    if (this.#rows.tail.filter(({ kind }) => kind === "pending").length > before) this.#transcript.follow();
    if (this.#found !== null) this.#transcript.reveal(this.#found);
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
          openPath: (path) => this.#reading.openPath(path),
        }),
    });
  }

  #mount(): void {
    const header = createElement("div", "session-head-slot");
    const dock = createElement("div", "dock");
    const transcript = this.#transcript;
    const model = { state: this.#state, composer: this.#composer, now: this.#now, store: this.#store };
    const main = createElement("main", "session", header, transcript.element, dock, this.#speaker.element);
    // The shell has a main of its own, and so has each session beside this one.
    effect(() => {
      const { session, column } = this.#state.value;
      // Two columns may have the same title; whoever jumps from one to the other has to tell them apart.
      const place = column === null ? "" : `, column ${column}`;
      main.setAttribute("aria-label", `Session ${session.title}`.trim() + place);
    });
    this.#window.document.body.append(main);
    render(<SessionHeader model={model} />, header);
    render(<EmptySession model={model} />, transcript.emptySlot);
    render(<Dock model={model} />, dock);
  }

  #listen(): void {
    const { document } = this.#window;
    listenForKeys(this.#window, {
      link: this.#link,
      store: this.#store,
      focusComposer: () => this.#focusComposer(),
      read: (wish) => this.#reading.take(wish),
    });
    this.#transcript.element.addEventListener("click", ({ target }) => {
      this.#actOnTurnEnd(target);
      this.#showWhole(target);
      this.#editMessage(target);
    });
    setInterval(() => this.#tick(), TICK_MS);
    this.#window.addEventListener("focus", () => this.#link.post({ type: "portlet:focused" }));
    const leave = () => this.#link.atOnce(() => this.#store.keepDraft());
    for (const leaving of LEAVING) this.#window.addEventListener(leaving, leave);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") leave();
    });
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
    this.#store.editMessage(entryId);
    this.#focusComposer();
  }

  #tick(): void {
    if (!this.#store.state.isVisible) return;
    this.#now.value = Date.now();
    this.#transcript.tick();
    this.#keepFocus();
  }

  /** A dialog of the shell may have taken it between the shell's word and now. */
  get #hasKeyboard(): boolean {
    const { frameElement, parent } = this.#window;
    return parent.document.activeElement === frameElement;
  }

  /** A question that waits comes before the next message, unless that one is begun. */
  #focus(): void {
    const isBegun = this.#store.composer.text !== "";
    if (isBegun || !focusQuestion(this.#window.document)) this.#focusComposer();
  }

  #focusComposer(): void {
    focusMessageField(this.#window.document, this.#store);
  }
}

/** What the transcript is made of: the session, and the messages this page has just sent. */
function rowsInputOf({ session, status, agentName }: PortletState, { outgoing }: ComposerState): RowsInput {
  const { settled, open, turn, pending } = session;
  return {
    settled,
    open,
    turn,
    status,
    agentName,
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

  /** Something changed: shown with the next frame, or when the page is next looked at. */
  request(): void {
    this.#isStale = true;
    if (this.#isVisible) this.#frame ??= requestAnimationFrame(() => this.run());
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    // Caught up in one step, before the frame is painted for the first time.
    if (isVisible && this.#isStale) this.run();
  }

  /** Flushes now what waits. */
  run(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    if (!this.#isStale || !this.#isVisible) return;
    this.#isStale = false;
    this.#flush();
  }
}

/**
 * A button may take itself away by what it does, and the keyboard with it: the returned check, called now and then, has
 * it given on when what had it is gone and nothing else has taken it.
 */
function keepFocus(document: Document, giveOn: () => void): () => void {
  let last: Element | null = null;
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });
  return () => {
    if (last === null || last.isConnected) return;
    last = null;
    const isFree = document.activeElement === document.body && document.hasFocus();
    // With a finger, the on-screen keyboard would cover what is read.
    if (isFree && !matchMedia("(pointer: coarse)").matches) giveOn();
  };
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
