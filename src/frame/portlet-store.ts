import { entriesOf } from "../protocol/fold-message.ts";
import type { CommandId, ElicitationId, EntryId, PermissionId, SessionId } from "../protocol/ids.ts";
import type { Json } from "../protocol/json.ts";
import { PAGE_ENTRIES_DEFAULT } from "../protocol/limits.ts";
import { isPermission, isQuestion } from "../protocol/pending-request.ts";
import type { PolicyScope, RuleDraft } from "../protocol/permission-policy.ts";
import type { PortletCommand, PortletToShell, ShellToPortlet } from "../protocol/portlet-messages.ts";
import type { QuestionAction } from "../protocol/question.ts";
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
import { EMPTY_PORTLET, foldPortlet, type PortletState } from "./portlet-state.ts";

/** The second Esc must come within this time. */
const CANCEL_ARMED_MS = 3_000;

type FilesFound = Extract<ShellToPortlet, { type: "files:found" }>;

interface PortletStoreOptions {
  readonly post: (message: PortletToShell | PortletCommand) => void;
  readonly newCommandId: () => CommandId;
  readonly onChange: () => void;
  /** The entry that was looked for is there now. */
  readonly onFound: (entryId: EntryId) => void;
}

/** The frame's store: messages are folded in, commands go out, views only read. */
export class PortletStore {
  readonly #options: PortletStoreOptions;
  readonly #drafts: DraftSaver;
  #state = EMPTY_PORTLET;
  #composer = EMPTY_COMPOSER;
  #wanted: EntryId | null = null;
  /** A message of the user's is looked for among entries that were asked for. */
  #recallsOlder = false;
  /** Answers to questions that the server has not taken yet. */
  readonly #answering = new Map<CommandId, ElicitationId>();
  /** Permission requests that were answered here; a second key or click while the answer is on its way sends nothing. */
  readonly #responding = new Map<PermissionId, CommandId>();
  #disarm: ReturnType<typeof setTimeout> | undefined;
  /** Whoever waits for files that were asked for. */
  onFiles: ((found: FilesFound) => void) | null = null;

  constructor(options: PortletStoreOptions) {
    this.#options = options;
    this.#drafts = new DraftSaver(() => {
      // Kept here, and handed on when it can be stored.
      if (!this.#state.isWritable) return;
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
    const { title } = this.#state.session;
    this.#state = foldPortlet(this.#state, message);
    if (this.#state.session.title !== title) {
      this.#options.post({ type: "portlet:title", title: this.#state.session.title });
    }
    this.#hearForComposer(message);
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

  /** Something in the composer changes that is no typing; like what is typed, it is kept. */
  change(event: ComposerEvent): void {
    this.#step(event);
    this.#drafts.schedule();
  }

  /** What a part of the page asks of the server in this session's name; it acts once. */
  ask(command: PortletToShell | PortletCommand): void {
    this.#options.post({ ...command, commandId: this.#options.newCommandId() });
  }

  /** Walks through the user's own messages, from the last one back and forth again; those not fetched yet are fetched. */
  recall(by: 1 | -1): void {
    const entries = entriesOf(this.#state.session);
    const recalled = recallMessage(entries, (this.#composer.recalled ?? 0) + by);
    const isMore = this.#state.session.hasMore && entries.length < SEARCHED_ENTRIES;
    this.#recallsOlder = recalled === null && by === 1 && isMore;
    if (this.#recallsOlder) this.askForOlder();
    this.#take(recalled);
  }

  /** Puts a message that was sent before into the composer, to go as a new one. */
  editMessage(entryId: string): void {
    this.#take(takeMessage(entriesOf(this.#state.session), entryId));
  }

  /** Sends what is typed, or `content` when a prompt was chosen; `steers` hands it to the running turn. */
  submit(content?: string, steers = false): void {
    const { turn, queuePaused } = this.#state.session;
    const commandId = this.#options.newCommandId();
    const before = this.#composer;
    this.#step({
      type: "submitted",
      commandId,
      isTurnActive: isTurnActive(turn),
      isQueuePaused: queuePaused,
      steers,
      ...(content === undefined ? {} : { content }),
    });
    const { text, attachments } = this.#composer;
    if (text !== before.text || attachments !== before.attachments) {
      this.#drafts.schedule();
      this.#drafts.flush();
    }
  }

  /** Esc ends what was begun last: an edit, a recalled message, then (asked once) the turn. True when it did something. */
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

  /** Puts the queued message that is being edited back as it was. */
  endEdit(): void {
    const { turn, queuePaused } = this.#state.session;
    const hasQueue = isTurnActive(turn) || queuePaused;
    this.#step({ type: "edit-ended", commandId: this.#options.newCommandId(), hasQueue });
    this.#drafts.schedule();
  }

  cancelTurn(): void {
    this.#options.post({ type: "session:cancel", commandId: this.#options.newCommandId() });
  }

  /** What waits keeps its attachments by itself; what this page has not seen yet is not its to drop. */
  editQueue(queue: readonly QueueItem[]): void {
    const items = queue.map(({ commandId, content }) => ({ commandId, content }));
    const seen = this.#state.session.queue.map(({ commandId }) => commandId);
    this.ask({ type: "session:queue-edit", items, seen });
  }

  removeQueued(commandId: CommandId): void {
    this.editQueue(this.#state.session.queue.filter((item) => item.commandId !== commandId));
  }

  /** Takes a queued message into the composer until it is sent back to its place; without one, the last. */
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

  /** Something went wrong that has no better place. */
  notify(words: string): void {
    this.#step({ type: "refused", message: words });
  }

  /** Rules of the user's own: requests like this one are answered by them from now on, this one included. */
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

  /** Sends it to a new session of the agent's, which remembers nothing of this one. */
  retryAfresh(): void {
    this.#options.post({ type: "session:retry", afresh: true, commandId: this.#options.newCommandId() });
  }

  /** Has the shell show something about this session that needs more room than the frame. */
  show(what: "log" | "sign-in" | "permissions" | "export" | "kill"): void {
    this.#options.post({ type: "portlet:show", what });
  }

  openParent(): void {
    this.#options.post({ type: "portlet:parent" });
  }

  /** Something is to be done with an agent that this session started. */
  actOnChild(act: "open" | "stop" | "kill", childId: SessionId): void {
    this.#options.post({ type: "portlet:child", act, childId });
  }

  /** Stops this session and every agent below it. */
  stopTree(): void {
    this.#options.post({ type: "portlet:stop-tree" });
  }

  /** Asks once for what is older than the oldest entry here. */
  askForOlder(limit: number = PAGE_ENTRIES_DEFAULT): void {
    const { session, pageAskedBefore } = this.#state;
    const oldest = (session.settled[0] ?? session.open[0])?.entryId;
    if (!session.hasMore || oldest === undefined || oldest === pageAskedBefore) return;
    this.#state = { ...this.#state, pageAskedBefore: oldest };
    this.#options.post({ type: "session:page", before: oldest, limit });
  }

  /** The page may go away: nothing typed may be lost with it. */
  keepDraft(): void {
    this.#drafts.flush();
  }

  /** A refusal while an entry is looked for is about that: it is not there. */
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

  #hearForComposer(message: ShellToPortlet): void {
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

  /** What was refused, is answered, or may have been lost with the connection can be answered again. */
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

  #send({ commandId, content, attachments, steers, aheadOf }: Outgoing): void {
    this.#options.post({
      type: steers ? "session:steer" : "session:send",
      commandId,
      content,
      ...(attachments ? { attachments: [...attachments] } : {}),
      ...(aheadOf && !steers ? { aheadOf: [...aheadOf] } : {}),
    });
  }
}

const GONE_WORDS = "This message is no longer in the session. Search again to refresh the results.";

/** What looking for an entry comes to, as things stand. */
type Seeking =
  | { readonly step: "wait" }
  | { readonly step: "found" }
  | { readonly step: "ask"; readonly before: EntryId; readonly command: PortletCommand }
  | { readonly step: "gone" };

/** The next step towards an entry that may be far back: all from there on, in few answers. Pure. */
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

/** Typing is kept this long after the last key: often enough that nothing is lost, rarely enough to cost nothing. */
const DRAFT_DELAY_MS = 400;

/** Hands a draft on once the typing pauses, and at once when the page may go away. */
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

/** A message that was just sent is among the newest entries; looking further back would cost with the length of the session. */
const CONFIRMED_AMONG_ENTRIES = 200;

/** Which of the sent messages the server has: they are entries, or they wait in its queue. */
function confirmedCommands(outgoing: readonly Outgoing[], session: SessionState): ReadonlySet<CommandId> {
  if (outgoing.length === 0) return new Set();
  const known = new Set<CommandId>(session.queue.map(({ commandId }) => commandId));
  for (const entry of [...session.settled.slice(-CONFIRMED_AMONG_ENTRIES), ...session.open]) {
    if (entry.type === "user" && entry.commandId !== undefined) known.add(entry.commandId);
  }
  return new Set(outgoing.flatMap(({ commandId }) => (known.has(commandId) ? [commandId] : [])));
}
