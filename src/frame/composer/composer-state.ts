import type { Entry, Part } from "../../protocol/entry.ts";
import type { CommandId } from "../../protocol/ids.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";

/** A pending message: shown at once, kept until the server confirms or refuses it. */
export interface Outgoing {
  readonly commandId: CommandId;
  readonly content: string;
  readonly attachments?: readonly Part[] | undefined;
  /** Where it is displayed meanwhile: a message sent during a turn is in the queue. */
  readonly place: "transcript" | "queue";
  /** For the running turn itself, not for a later one. */
  readonly steers?: boolean;
  /** An edited queued message: the messages that were behind it in the queue. */
  readonly aheadOf?: readonly CommandId[];
  /** Another program has the conversation open: it waits until it is closed there. */
  readonly whenFree?: boolean;
}

/** A queued message that was taken into the composer to be edited. */
interface QueueEdit {
  readonly item: QueueItem;
  /** The messages behind it in the queue: it returns ahead of them. */
  readonly aheadOf: readonly CommandId[];
  /** The composer's content before the edit; restored when the edit ends. */
  readonly draft: Pick<ComposerState, "text" | "attachments" | "mentioned" | "unmentioned">;
}

/** The composer's content. Plain data, changed only by `stepComposer`. */
export interface ComposerState {
  readonly text: string;
  /** Sent with the text: images, files, and links to the files it mentions. */
  readonly attachments: readonly Part[];
  /** The URIs of attached links that have been in the text as `@name`. */
  readonly mentioned: ReadonlySet<string>;
  /** Links whose mention was deleted: not attached, but attached again if the mention returns (undo). */
  readonly unmentioned: readonly Part[];
  /** The queued message being edited. */
  readonly editing: QueueEdit | null;
  /** The draft as last stored; equal text was not changed here since. */
  readonly keptDraft: string;
  readonly keptAttachments: readonly Part[];
  /** How many messages back the text was recalled from with the arrow keys; null if it was not, or was changed since. */
  readonly recalled: number | null;
  /** The text was sent before, and the agent remembers it. */
  readonly isRepeat: boolean;
  readonly outgoing: readonly Outgoing[];
  /** The last error text. */
  readonly error: string | null;
  /** The first Esc was pressed; the next one cancels the turn. */
  readonly isCancelArmed: boolean;
}

/** One shared object, so that it never counts as a change. */
export const NOTHING_ATTACHED: readonly Part[] = [];

export const EMPTY_COMPOSER: ComposerState = {
  text: "",
  attachments: NOTHING_ATTACHED,
  mentioned: new Set(),
  unmentioned: NOTHING_ATTACHED,
  editing: null,
  keptDraft: "",
  keptAttachments: NOTHING_ATTACHED,
  recalled: null,
  isRepeat: false,
  outgoing: [],
  error: null,
  isCancelArmed: false,
};

export type ComposerEvent =
  | { readonly type: "typed"; readonly text: string }
  /** `content` replaces the typed text if a prompt was chosen instead. */
  | {
      readonly type: "submitted";
      readonly commandId: CommandId;
      readonly isTurnActive: boolean;
      readonly isQueuePaused?: boolean;
      readonly content?: string;
      readonly steers?: boolean;
      readonly whenFree?: boolean;
    }
  | { readonly type: "attached"; readonly parts: readonly Part[] }
  | { readonly type: "detached"; readonly part: Part }
  | { readonly type: "confirmed"; readonly commandIds: ReadonlySet<CommandId> }
  | { readonly type: "refused"; readonly message: string; readonly commandId?: CommandId | undefined }
  /** Without `attachments` the previous ones stay. */
  | { readonly type: "draft-received"; readonly content: string; readonly attachments?: readonly Part[] | undefined }
  | { readonly type: "draft-kept"; readonly content: string; readonly attachments: readonly Part[] }
  | { readonly type: "queued-taken"; readonly item: QueueItem; readonly aheadOf: readonly CommandId[] }
  /** Without a queue to return to, the message stays in the composer. */
  | { readonly type: "edit-ended"; readonly commandId: CommandId; readonly hasQueue: boolean }
  | { readonly type: "message-taken"; readonly content: string; readonly attachments?: readonly Part[] | undefined }
  | { readonly type: "recalled"; readonly text: string; readonly back: number | null }
  | { readonly type: "escape-pressed"; readonly isTurnActive: boolean }
  | { readonly type: "escape-forgotten" }
  | { readonly type: "error-dismissed" };

/** The side effect of a step. */
type ComposerEffect = { readonly type: "send"; readonly message: Outgoing } | { readonly type: "cancel" };

interface ComposerStep {
  readonly state: ComposerState;
  readonly effects: readonly ComposerEffect[];
}

/** Whether a link is in the text as `@name`; a longer path with the same start is another file. */
export function isMentioned(text: string, part: Part): boolean {
  if (part.type !== "link") return false;
  const mention = `@${part.name}`;
  for (let at = text.indexOf(mention); at !== -1; at = text.indexOf(mention, at + 1)) {
    if (!PATH_CONTINUES.test(text.slice(at + mention.length, at + mention.length + 2))) return true;
  }
  return false;
}

/** A full stop may end the sentence; before a letter it is part of the file name. */
const PATH_CONTINUES = /^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u;

/** The stored draft: during an edit both texts, so that a reload loses neither. */
export function draftOf({ text, attachments, editing }: ComposerState): Pick<ComposerState, "text" | "attachments"> {
  if (editing === null) return { text, attachments };
  const { draft } = editing;
  return {
    text: draft.text.trim() === "" ? text : `${text}\n\n${draft.text}`,
    attachments: draft.attachments.length === 0 ? attachments : [...attachments, ...draft.attachments],
  };
}

/** The next state of the composer, and its effects. Pure: ids and the state of the turn come with the event. */
export function stepComposer(before: ComposerState, event: ComposerEvent): ComposerStep {
  const { state, effects } = step(before, event);
  return { state: followMentions(before, state), effects };
}

function step(state: ComposerState, event: ComposerEvent): ComposerStep {
  switch (event.type) {
    case "typed":
      return stay({
        ...state,
        text: event.text,
        isCancelArmed: false,
        recalled: null,
        isRepeat: state.isRepeat && event.text !== "",
      });
    case "submitted":
      return submit(state, event);
    case "attached":
      return stay({
        ...state,
        attachments: [...state.attachments, ...event.parts.filter((part) => !isThere(state, part))],
      });
    case "detached":
      return stay({ ...state, attachments: state.attachments.filter((part) => part !== event.part) });
    case "confirmed":
      return stay({ ...state, outgoing: state.outgoing.filter(({ commandId }) => !event.commandIds.has(commandId)) });
    case "refused":
      return stay(takeBack({ ...state, error: event.message }, event.commandId));
    case "draft-received":
      return stay(receiveDraft(state, event));
    case "draft-kept":
      return stay({ ...state, keptDraft: event.content, keptAttachments: event.attachments });
    case "queued-taken":
      return takeQueued(state, event);
    case "edit-ended":
      return endEdit(state, event);
    case "message-taken":
      return stay({ ...putBack({ ...state, error: null }, event), isRepeat: true });
    case "recalled":
      return stay({ ...state, text: event.text, recalled: event.back, isCancelArmed: false });
    case "escape-pressed":
      return pressEscape(state, event.isTurnActive);
    case "escape-forgotten":
      return stay({ ...state, isCancelArmed: false });
    case "error-dismissed":
      return stay({ ...state, error: null });
    default:
      return event satisfies never;
  }
}

function stay(state: ComposerState): ComposerStep {
  return { state, effects: [] };
}

function submit(state: ComposerState, event: Extract<ComposerEvent, { type: "submitted" }>): ComposerStep {
  const content = event.content ?? state.text;
  const isTyped = event.content === undefined;
  const attachments = isTyped ? state.attachments : [];
  const aheadOf = isTyped && !event.steers ? state.editing?.aheadOf : undefined;
  if (content.trim() === "" && attachments.length === 0) return stay(state);
  const message: Outgoing = {
    commandId: event.commandId,
    content,
    ...(attachments.length > 0 ? { attachments } : {}),
    place: event.isTurnActive || event.whenFree || (aheadOf && event.isQueuePaused) ? "queue" : "transcript",
    ...(event.steers && event.isTurnActive ? { steers: true } : {}),
    ...(aheadOf && { aheadOf }),
    ...(event.whenFree && { whenFree: true }),
  };
  const left = isTyped ? { ...(state.editing?.draft ?? NO_DRAFT), editing: null, recalled: null, isRepeat: false } : {};
  const next = { ...state, ...left, outgoing: [...state.outgoing, message], error: null, isCancelArmed: false };
  return { state: next, effects: [{ type: "send", message }] };
}

const NO_DRAFT = {
  text: "",
  attachments: NOTHING_ATTACHED,
  mentioned: new Set<string>(),
  unmentioned: NOTHING_ATTACHED,
};

/** Only the message is in the composer until the edit ends; one that is already being edited returns first. */
function takeQueued(state: ComposerState, event: Extract<ComposerEvent, { type: "queued-taken" }>): ComposerStep {
  const { text, attachments, mentioned, unmentioned } = state;
  const { item, aheadOf } = event;
  return stay({
    ...state,
    ...NO_DRAFT,
    text: item.content,
    attachments: item.attachments ?? NOTHING_ATTACHED,
    editing: { item, aheadOf, draft: { text, attachments, mentioned, unmentioned } },
    recalled: null,
    error: null,
    isCancelArmed: false,
  });
}

/** Puts the message back unchanged, and the draft from before the edit into the composer. */
function endEdit(state: ComposerState, event: Extract<ComposerEvent, { type: "edit-ended" }>): ComposerStep {
  if (state.editing === null) return stay(state);
  if (!event.hasQueue) return stay({ ...state, ...draftOf(state), editing: null });
  const { item, aheadOf, draft } = state.editing;
  const { content, attachments } = item;
  const { commandId } = event;
  const message: Outgoing = { commandId, content, ...(attachments && { attachments }), aheadOf, place: "queue" };
  const outgoing = [...state.outgoing, message];
  const next = { ...state, ...draft, editing: null, recalled: null, isCancelArmed: false, outgoing };
  return { state: next, effects: [{ type: "send", message }] };
}

/** The same file mentioned twice is linked once. */
function isThere({ attachments }: ComposerState, part: Part): boolean {
  return part.type === "link" && attachments.some((one) => one.type === "link" && one.uri === part.uri);
}

/** Detaches a link when its mention leaves the text, and attaches it again when the mention returns. */
function followMentions(before: ComposerState, state: ComposerState): ComposerState {
  if (state.text === before.text && state.attachments === before.attachments) return state;
  const seen = state.attachments.flatMap((part) =>
    part.type === "link" && isMentioned(state.text, part) ? [part.uri] : [],
  );
  const mentioned = seen.every((uri) => state.mentioned.has(uri))
    ? state.mentioned
    : new Set([...state.mentioned, ...seen]);
  const isGone = (part: Part) => part.type === "link" && mentioned.has(part.uri) && !isMentioned(state.text, part);
  const isBack = (part: Part) => isMentioned(state.text, part) && !isThere(state, part);
  const gone = state.attachments.filter(isGone);
  const back = state.unmentioned.filter(isBack);
  if (gone.length === 0 && back.length === 0) return mentioned === state.mentioned ? state : { ...state, mentioned };
  return {
    ...state,
    mentioned,
    attachments: [...state.attachments.filter((part) => !isGone(part)), ...back],
    unmentioned: [...state.unmentioned.filter((part) => !isBack(part)), ...gone],
  };
}

/** A refused message returns to the composer. */
function takeBack(state: ComposerState, commandId: Outgoing["commandId"] | undefined): ComposerState {
  const refused = state.outgoing.find((message) => message.commandId === commandId);
  if (refused === undefined) return state;
  return putBack({ ...state, outgoing: state.outgoing.filter((message) => message !== refused) }, refused);
}

/** Before any newer text: neither text is lost. */
function putBack(state: ComposerState, message: Pick<Outgoing, "content" | "attachments">): ComposerState {
  return {
    ...state,
    text: state.text.trim() === "" ? message.content : `${message.content}\n\n${state.text}`,
    attachments: [...(message.attachments ?? []), ...state.attachments],
    recalled: null,
  };
}

/** A draft of another window, or an older one, never overwrites typed text. */
function receiveDraft(state: ComposerState, event: Extract<ComposerEvent, { type: "draft-received" }>): ComposerState {
  const { content, attachments = state.keptAttachments } = event;
  const isUntouched =
    state.editing === null && state.text === state.keptDraft && state.attachments === state.keptAttachments;
  const kept = { ...state, keptDraft: content, keptAttachments: attachments };
  return isUntouched ? { ...kept, text: content, attachments, recalled: null } : kept;
}

function pressEscape(state: ComposerState, isTurnActive: boolean): ComposerStep {
  if (state.recalled !== null) return stay({ ...state, text: "", recalled: null, isCancelArmed: false });
  if (!isTurnActive) return stay({ ...state, isCancelArmed: false });
  if (!state.isCancelArmed) return stay({ ...state, isCancelArmed: true });
  return { state: { ...state, isCancelArmed: false }, effects: [{ type: "cancel" }] };
}

/** Limits how far back a recall looks, so that its cost does not grow with the session. */
export const SEARCHED_ENTRIES = 2_000;

/** The step that recalls the user's own message that many back, none for 0; null if there is no such message. */
export function recallMessage(entries: readonly Entry[], back: number): ComposerEvent | null {
  if (back < 1) return { type: "recalled", text: "", back: null };
  const text = sentBack(entries, back);
  return text === null ? null : { type: "recalled", text, back };
}

/** The step that puts a message into the composer again, to be sent as a new one. */
export function takeMessage(entries: readonly Entry[], entryId: string): ComposerEvent | null {
  const sent = entries.findLast((entry) => entry.entryId === entryId);
  if (sent?.type !== "user") return null;
  return { type: "message-taken", content: sent.content, attachments: sent.attachments };
}

/** 1 is the last; equal consecutive messages count once. */
function sentBack(entries: readonly Entry[], back: number): string | null {
  let left = back;
  let last: string | null = null;
  for (const entry of entries.slice(-SEARCHED_ENTRIES).reverse()) {
    if (entry.type !== "user" || entry.content === "" || entry.content === last) continue;
    last = entry.content;
    left -= 1;
    if (left === 0) return last;
  }
  return null;
}
