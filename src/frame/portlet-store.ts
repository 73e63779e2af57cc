import type { CheckpointId } from "../protocol/changes.ts";
import type { Part } from "../protocol/entry.ts";
import { entriesOf } from "../protocol/fold-message.ts";
import type { CommandId, ElicitationId, EntryId, PermissionId, SessionId } from "../protocol/ids.ts";
import type { Json } from "../protocol/json.ts";
import { PAGE_ENTRIES_DEFAULT } from "../protocol/limits.ts";
import { isPermission, isQuestion } from "../protocol/pending-request.ts";
import type { PolicyScope, RuleDraft } from "../protocol/permission-policy.ts";
import type { PortletCommand, PortletQuestion, PortletToShell, ShellView } from "../protocol/portlet-commands.ts";
import type { ShellToPortlet } from "../protocol/portlet-messages.ts";
import type { QuestionAction } from "../protocol/question.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { QueueItem } from "../protocol/session-parts.ts";
import { isTurnActive, type SessionState } from "../protocol/session-schema.ts";
import {
  type ComposerEvent,
  type ComposerState,
  draftOf,
  EMPTY_COMPOSER,
  NOTHING_ATTACHED,
  type Outgoing,
  recallMessage,
  SEARCHED_ENTRIES,
  stepComposer,
  takeMessage,
} from "./composer/composer-state.ts";
import { EMPTY_PORTLET, foldPortlet, type PortletState, type Undoing } from "./portlet-state.ts";

/** The second Esc must come within this time. */
const CANCEL_ARMED_MS = 3_000;

type FilesFound = Extract<ShellToPortlet, { type: "files:found" }>;
type Offers = Extract<ShellToPortlet, { type: "portlet:offers" }>;
type PushedChanges = Extract<ShellToPortlet, { type: "changes:state" }>;

type Settle = (answer: Extract<ShellToPortlet, { type: "portlet:answer" }>) => void;

interface Explanation {
  readonly words?: string | undefined;
  readonly details?: string | undefined;
}

/** The server refused a request. The message is for the user. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string | null;
  /** The message without its details. */
  readonly words: string;
  readonly details: string | undefined;

  constructor(message: string, code: string | null, { words = message, details }: Explanation = {}) {
    super(message);
    this.code = code;
    this.words = words;
    this.details = details;
  }
}

interface PortletStoreOptions {
  readonly post: (message: PortletToShell | PortletCommand) => void;
  readonly newCommandId: () => CommandId;
  readonly onChange: () => void;
  /** The entry that was searched is loaded now. */
  readonly onFound: (entryId: EntryId) => void;
}

/** The frame's store: messages are folded in, commands are sent, views only read. */
export class PortletStore {
  readonly #options: PortletStoreOptions;
  readonly #drafts: DraftSaver;
  #state = EMPTY_PORTLET;
  #composer = EMPTY_COMPOSER;
  #wanted: EntryId | null = null;
  /** A user message is searched among requested entries. */
  #recallsOlder = false;
  /** Answers to questions that the server has not confirmed yet. */
  readonly #answering = new Map<CommandId, ElicitationId>();
  /** Permission requests that were answered here; a second key or click while the answer is pending sends nothing. */
  readonly #responding = new Map<PermissionId, CommandId>();
  #disarm: ReturnType<typeof setTimeout> | undefined;
  readonly #requests = new Map<number, Settle>();
  #lastRequest = 0;
  /** Receives requested files. */
  onFiles: ((found: FilesFound) => void) | null = null;
  /** Receives snippets and sessions for the composer. */
  onOffers: ((offers: Offers) => void) | null = null;
  /** The Changes view, while it is open. */
  onChanges: ((state: PushedChanges) => void) | null = null;

  constructor(options: PortletStoreOptions) {
    this.#options = options;
    this.#drafts = new DraftSaver(() => {
      // Kept here, and sent when it can be stored.
      if (!this.#state.isWritable || this.#state.person?.looks) return;
      const { keptAttachments } = this.#composer;
      const { text: content, attachments } = draftOf(this.#composer);
      const changed = attachments === keptAttachments ? {} : { attachments: [...attachments] };
      options.post({ type: "session:draft", content, ...changed });
      this.#step({ type: "draft-kept", content, attachments });
    });
  }

  get state(): PortletState {
    return this.#state;
  }

  get composer(): ComposerState {
    return this.#composer;
  }

  receive(message: ShellToPortlet): void {
    if (message.type === "files:found") {
      this.onFiles?.(message);
      return;
    }
    if (message.type === "portlet:offers") {
      this.onOffers?.(message);
      return;
    }
    if (message.type === "changes:state") {
      this.onChanges?.(message);
      return;
    }
    if (message.type === "portlet:answer") {
      this.#requests.get(message.id)?.(message);
      this.#requests.delete(message.id);
      return;
    }
    const { title } = this.#state.session;
    this.#state = foldPortlet(this.#state, message);
    if (this.#state.session.title !== title) {
      this.#options.post({ type: "portlet:title", title: this.#state.session.title });
    }
    this.#updateComposer(message);
    this.#endResponses(message);
    if (message.type === "portlet:reveal") this.#wanted = message.entryId;
    this.#seek(message.type === "session:error");
    if (message.type === "session:page" && this.#recallsOlder) this.recall(1);
    const confirmed = confirmedCommands(this.#composer.outgoing, this.#state.session);
    if (confirmed.size > 0) this.#step({ type: "confirmed", commandIds: confirmed });
    this.#options.onChange();
  }

  type(text: string): void {
    this.#recallsOlder = false;
    this.#step({ type: "typed", text });
    this.#drafts.schedule();
  }

  /** Appends unsent text from elsewhere to the composer. */
  addText(text: string): void {
    if (text.trim() !== "") this.type([this.#composer.text, text].filter((one) => one !== "").join("\n"));
  }

  /** A change of the composer other than typing; it is stored like typing. */
  change(event: ComposerEvent): void {
    this.#step(event);
    this.#drafts.schedule();
  }

  /** Sends a command on behalf of this session; it runs once. */
  ask(command: PortletToShell | PortletCommand): void {
    this.#options.post({ ...command, commandId: this.#options.newCommandId() });
  }

  /** Asks the server in this session's name and waits for the answer. Rejects with a `RequestError`. */
  request(command: PortletQuestion): Promise<PlainServerMessage> {
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    const { promise, resolve, reject } = Promise.withResolvers<PlainServerMessage>();
    this.#requests.set(id, ({ answer, refusal }) => {
      if (answer) resolve(answer);
      else {
        const { message = "The server gave no answer. Try again.", code = null, ...explanation } = refusal ?? {};
        reject(new RequestError(message, code, explanation));
      }
    });
    this.#options.post({ type: "portlet:request", id, command });
    return promise;
  }

  /** Steps through the user's own messages, from the last one back and forth; missing ones are loaded. */
  recall(by: 1 | -1): void {
    const entries = entriesOf(this.#state.session);
    const recalled = recallMessage(entries, (this.#composer.recalled ?? 0) + by);
    const isMore = this.#state.session.hasMore && entries.length < SEARCHED_ENTRIES;
    this.#recallsOlder = recalled === null && by === 1 && isMore;
    if (this.#recallsOlder) this.askForOlder();
    this.#take(recalled);
  }

  /** A new session that starts with the conversation up to there; the shell opens it. Rejects with a `RequestError`. */
  async branch(
    from: Pick<Extract<PortletQuestion, { type: "session:branch" }>, "at" | "before" | "content">,
    attachments: readonly Part[] = [],
  ): Promise<void> {
    const given = attachments.length > 0 && { attachments: [...attachments] };
    await this.request({ type: "session:branch", ...from, ...given, commandId: this.#options.newCommandId() });
  }

  /** Sends a message again with another text, in this session, with its attachments. */
  resend(entryId: string, content: string): void {
    const taken = takeMessage(entriesOf(this.#state.session), entryId);
    if (taken === null) return;
    this.#take(taken);
    this.type(content);
    this.submit();
  }

  openOrigin(): void {
    this.#options.post({ type: "portlet:origin" });
  }

  /** The typed message waits until the other program has closed the conversation. */
  submitWhenFree(): void {
    this.#submit({ whenFree: true });
  }

  /** Sends the typed text, or `content` if a prompt was chosen; `steers` sends it into the running turn. */
  submit(content?: string, steers = false): void {
    this.#submit({ steers, ...(content === undefined ? {} : { content }) });
  }

  #submit(how: { readonly content?: string; readonly steers?: boolean; readonly whenFree?: boolean }): void {
    const { turn, queuePaused } = this.#state.session;
    const commandId = this.#options.newCommandId();
    const before = this.#composer;
    this.#step({
      type: "submitted",
      commandId,
      isTurnActive: isTurnActive(turn),
      isQueuePaused: queuePaused,
      ...how,
    });
    const { text, attachments } = this.#composer;
    if (text !== before.text || attachments !== before.attachments) {
      this.#drafts.schedule();
      this.#drafts.flush();
    }
  }

  /**
   * Esc ends what was started last: an edit, a recalled message, then (after asking once) the turn. True if it had an
   * effect.
   */
  pressEscape(): boolean {
    if (this.#composer.editing !== null) {
      this.endEdit();
      return true;
    }
    const wasRecalled = this.#composer.recalled !== null;
    this.#step({ type: "escape-pressed", isTurnActive: isTurnActive(this.#state.session.turn) });
    clearTimeout(this.#disarm);
    if (this.#composer.isCancelArmed) {
      this.#disarm = setTimeout(() => this.#step({ type: "escape-forgotten" }), CANCEL_ARMED_MS);
    }
    if (wasRecalled) this.#drafts.schedule();
    return wasRecalled || isTurnActive(this.#state.session.turn);
  }

  /** Puts the queued message that is being edited back unchanged. */
  endEdit(): void {
    const { turn, queuePaused } = this.#state.session;
    const hasQueue = isTurnActive(turn) || queuePaused;
    this.#step({ type: "edit-ended", commandId: this.#options.newCommandId(), hasQueue });
    this.#drafts.schedule();
  }

  cancelTurn(): void {
    this.#options.post({ type: "session:cancel", commandId: this.#options.newCommandId() });
  }

  /** Continues the session when its usage limit ends; false if it waits for none, or already does. */
  resumeLimit(): boolean {
    const { pause } = this.#state.session;
    if (pause === null || pause.dueAt === null || pause.resumesAt !== null) return false;
    this.ask({ type: "session:resume-limit", when: "then" });
    return true;
  }

  /** Queued messages keep their attachments; messages this page has not seen yet are not dropped. */
  editQueue(queue: readonly QueueItem[]): void {
    const items = queue.map(({ commandId, content }) => ({ commandId, content }));
    const seen = this.#state.session.queue.map(({ commandId }) => commandId);
    this.ask({ type: "session:queue-edit", items, seen });
  }

  removeQueued(commandId: CommandId): void {
    this.editQueue(this.#state.session.queue.filter((item) => item.commandId !== commandId));
  }

  /** Moves a queued message to the composer until it is sent back to its position; without one, the last. */
  editQueued(item: QueueItem | undefined = this.#state.session.queue.findLast(({ steering }) => !steering)): void {
    if (item === undefined) return;
    if (this.#composer.editing !== null) this.endEdit();
    const { queue } = this.#state.session;
    const at = queue.findIndex(({ commandId }) => commandId === item.commandId);
    const aheadOf = queue.slice(at + 1).map(({ commandId }) => commandId);
    this.removeQueued(item.commandId);
    this.#step({ type: "queued-taken", item, aheadOf });
    this.#drafts.schedule();
  }

  configure(configId: string, value: string | boolean): void {
    this.#options.post({ type: "session:configure", configId, value, commandId: this.#options.newCommandId() });
  }

  respond(permissionId: PermissionId, optionId: string, reason?: string): void {
    if (this.#responding.has(permissionId)) return;
    const commandId = this.#options.newCommandId();
    this.#responding.set(permissionId, commandId);
    const answer = { type: "permission:respond", permissionId, optionId, commandId } as const;
    this.#options.post(reason === undefined ? answer : { ...answer, reason });
  }

  answerQuestion(elicitationId: ElicitationId, action: QuestionAction, content?: Record<string, Json>): void {
    const commandId = this.#options.newCommandId();
    this.#answering.set(commandId, elicitationId);
    this.#state = { ...this.#state, refusedAnswer: null };
    const response = { type: "elicitation:respond", elicitationId, action, commandId } as const;
    this.#options.post(content === undefined ? response : { ...response, content });
    this.#options.onChange();
  }

  /** Shows an error that has no better place. */
  notify(words: string): void {
    this.#step({ type: "refused", message: words });
  }

  /** Rules of the user: requests like this one are answered by them from now on, this one included. */
  addRules(scope: PolicyScope, rules: readonly RuleDraft[]): void {
    this.#options.post({ type: "policy:set", scope, add: [...rules], commandId: this.#options.newCommandId() });
  }

  reconnect(): void {
    const { cliType } = this.#state;
    if (cliType !== null) this.#options.post({ type: "session:reconnect", cliType });
  }

  /** Replaces an agent's process that no longer reacts. */
  restart(): void {
    const { cliType } = this.#state;
    if (cliType !== null) this.#options.post({ type: "session:reconnect", cliType, restart: true });
  }

  /** Sends the last message again, after its turn failed. */
  retryTurn(): void {
    this.#options.post({ type: "session:retry", commandId: this.#options.newCommandId() });
  }

  /** Sends it to a new conversation of the agent, which has no memory of this one. */
  retryAfresh(): void {
    this.#options.post({ type: "session:retry", afresh: true, commandId: this.#options.newCommandId() });
  }

  /** Asks the shell to show something about this session that needs more room than the frame. */
  show(what: ShellView): void {
    this.#options.post({ type: "portlet:show", what });
  }

  /** Has the shell ask which files to restore to a checkpoint; `message` is what the user said in its turn. */
  restore(checkpointId: CheckpointId, message?: string): void {
    this.#options.post({ type: "portlet:restore", checkpointId, ...(message !== undefined && { message }) });
  }

  /** Undoes a restore of files. */
  undoRestore(undoId: string): void {
    if (this.#state.undos.get(undoId)?.state === "asked") return;
    this.#setUndo(undoId, { state: "asked" });
    this.request({ type: "changes:undo", undoId, commandId: this.#options.newCommandId() }).then(
      () => this.#setUndo(undoId, { state: "undone" }),
      (error: unknown) =>
        this.#setUndo(undoId, { state: "failed", words: error instanceof Error ? error.message : String(error) }),
    );
  }

  openParent(): void {
    this.#options.post({ type: "portlet:parent" });
  }

  /** Runs an action on an agent that this session started. */
  actOnChild(act: "open" | "stop" | "kill", childId: SessionId): void {
    this.#options.post({ type: "portlet:child", act, childId });
  }

  /** Stops this session and every agent below it. */
  stopTree(): void {
    this.#options.post({ type: "portlet:stop-tree" });
  }

  /** Requests the entries before the oldest one here, once. */
  askForOlder(limit: number = PAGE_ENTRIES_DEFAULT): void {
    const { session, pageAskedBefore } = this.#state;
    const oldest = (session.settled[0] ?? session.open[0])?.entryId;
    if (!session.hasMore || oldest === undefined || oldest === pageAskedBefore) return;
    this.#state = { ...this.#state, pageAskedBefore: oldest };
    this.#options.post({ type: "session:page", before: oldest, limit });
  }

  /** The page may be closed: typed text must not be lost. */
  keepDraft(): void {
    this.#drafts.flush();
  }

  /** A refusal while an entry is searched means that it does not exist. */
  #seek(wasRefused: boolean): void {
    const wanted = this.#wanted;
    if (wanted === null) return;
    const next = seekEntry(this.#state, wanted);
    if (next.step === "ask" && !wasRefused) {
      this.#state = { ...this.#state, pageAskedBefore: next.before };
      this.#options.post(next.command);
      return;
    }
    if (next.step === "wait" && !wasRefused) return;
    this.#wanted = null;
    if (next.step === "found") this.#options.onFound(wanted);
    else this.#step({ type: "refused", message: GONE_WORDS, commandId: undefined });
  }

  #updateComposer(message: ShellToPortlet): void {
    if (message.type === "session:history" || message.type === "session:resumed") {
      const { draft, draftAttachments } = message;
      if (draft !== undefined || draftAttachments !== undefined)
        this.#step({ type: "draft-received", content: draft ?? "", attachments: draftAttachments ?? NOTHING_ATTACHED });
    } else if (message.type === "session:draft") {
      const { content, attachments } = message;
      this.#step({ type: "draft-received", content, attachments });
    } else if (message.type === "session:error") {
      if (this.#takeRefusedAnswer(message)) return;
      this.#step({ type: "refused", message: message.message, commandId: message.commandId });
      this.#drafts.schedule();
    } else if (message.type === "portlet:storage" && message.writable) this.#drafts.schedule();
    else if (message.type === "session:turn" && !isTurnActive(message.turn)) this.#step({ type: "escape-forgotten" });
  }

  /** A request whose answer was refused or may be lost with the connection can be answered again. */
  #endResponses(message: ShellToPortlet): void {
    if (this.#responding.size === 0) return;
    const open = new Set(this.#state.session.pending.filter(isPermission).map(({ permissionId }) => permissionId));
    const refused = message.type === "session:error" ? message.commandId : undefined;
    for (const [permissionId, commandId] of this.#responding)
      if (
        message.type === "session:history" ||
        message.type === "session:resumed" ||
        commandId === refused ||
        !open.has(permissionId)
      )
        this.#responding.delete(permissionId);
  }

  /** True for a refused answer to a question that is still open: its card shows the error. */
  #takeRefusedAnswer({ commandId, message, fields = {} }: Extract<ShellToPortlet, { type: "session:error" }>): boolean {
    const elicitationId = commandId && this.#answering.get(commandId);
    if (commandId === undefined || elicitationId === undefined) return false;
    this.#answering.delete(commandId);
    const { pending } = this.#state.session;
    if (!pending.filter(isQuestion).some((one) => one.elicitationId === elicitationId)) return false;
    this.#state = { ...this.#state, refusedAnswer: { elicitationId, message, fields } };
    return true;
  }

  #setUndo(undoId: string, undoing: Undoing): void {
    this.#state = { ...this.#state, undos: new Map(this.#state.undos).set(undoId, undoing) };
    this.#options.onChange();
  }

  #step(event: ComposerEvent): void {
    const { state, effects } = stepComposer(this.#composer, event);
    const hasChanged = state !== this.#composer;
    this.#composer = state;
    for (const effect of effects) {
      if (effect.type === "send") this.#send(effect.message);
      else this.cancelTurn();
    }
    if (hasChanged) this.#options.onChange();
  }

  #take(event: ComposerEvent | null): void {
    if (event) this.change(event);
  }

  #send({ commandId, content, attachments, steers, aheadOf, whenFree }: Outgoing): void {
    this.#options.post({
      type: steers ? "session:steer" : "session:send",
      commandId,
      content,
      ...(attachments ? { attachments: [...attachments] } : {}),
      ...(aheadOf && !steers ? { aheadOf: [...aheadOf] } : {}),
      ...(whenFree ? { whenFree } : {}),
    });
  }
}

const GONE_WORDS = "This message is no longer in the session. Search again to refresh the results.";

/** The next step of searching an entry. */
type Seeking =
  | { readonly step: "wait" }
  | { readonly step: "found" }
  | { readonly step: "ask"; readonly before: EntryId; readonly command: PortletCommand }
  | { readonly step: "gone" };

/** The next step towards an entry that may be far back: everything from there on, in few answers. Pure. */
function seekEntry({ session, isOpened, pageAskedBefore }: PortletState, wanted: EntryId): Seeking {
  if (!isOpened) return { step: "wait" };
  if (holds(session, wanted)) return { step: "found" };
  const oldest = (session.settled[0] ?? session.open[0])?.entryId;
  if (!session.hasMore || oldest === undefined) return { step: "gone" };
  if (pageAskedBefore === oldest) return { step: "wait" };
  return { step: "ask", before: oldest, command: { type: "session:page", before: oldest, until: wanted } };
}

function holds({ settled, open }: SessionState, wanted: EntryId): boolean {
  const isWanted = ({ entryId }: { readonly entryId: EntryId }) => entryId === wanted;
  return settled.some(isWanted) || open.some(isWanted);
}

/** A draft is stored this long after the last key: often enough that nothing is lost, rarely enough to cost nothing. */
const DRAFT_DELAY_MS = 400;

/** Stores a draft once the typing pauses, and at once if the page may be closed. */
class DraftSaver {
  readonly #save: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(save: () => void) {
    this.#save = save;
  }

  schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), DRAFT_DELAY_MS);
  }

  flush(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#save();
  }
}

/** A message that was just sent is among the newest entries; searching further back would cost more in long sessions. */
const CONFIRMED_AMONG_ENTRIES = 200;

/** Which of the sent messages the server has: as entries, or in its queue. */
function confirmedCommands(outgoing: readonly Outgoing[], session: SessionState): ReadonlySet<CommandId> {
  if (outgoing.length === 0) return new Set();
  const known = new Set<CommandId>(session.queue.map(({ commandId }) => commandId));
  for (const entry of [...session.settled.slice(-CONFIRMED_AMONG_ENTRIES), ...session.open]) {
    if (entry.type === "user" && entry.commandId !== undefined) known.add(entry.commandId);
  }
  return new Set(outgoing.flatMap(({ commandId }) => (known.has(commandId) ? [commandId] : [])));
}
