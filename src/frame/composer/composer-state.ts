import type { Part } from "../../protocol/entry.ts";
import type { CommandId } from "../../protocol/ids.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";

/** A message on its way: shown at once, kept until the server has it or refuses it. */
export interface Outgoing {
  readonly commandId: CommandId;
  readonly content: string;
  readonly attachments?: readonly Part[] | undefined;
  /** Where it shows meanwhile: a message sent during a turn waits in the queue. */
  readonly place: "transcript" | "queue";
  /** For the running turn itself, not for one after it. */
  readonly steers?: boolean;
  /** An edited queued message: the messages that were behind it in the queue. */
  readonly aheadOf?: readonly CommandId[];
}

/** A queued message that was taken into the composer to be edited. */
export interface QueueEdit {
  readonly item: QueueItem;
  /** The messages behind it in the queue: it goes back ahead of them. */
  readonly aheadOf: readonly CommandId[];
  /** What the composer held before; it comes back when the edit ends. */
  readonly draft: Pick<ComposerState, "text" | "attachments" | "mentioned" | "unmentioned">;
}

/** What the composer holds. Plain data, changed only by `stepComposer`. */
export interface ComposerState {
  readonly text: string;
  /** What goes out with the text: images, files, and links to the files it mentions. */
  readonly attachments: readonly Part[];
  /** The URIs of attached links that have stood in the text as `@name`. */
  readonly mentioned: ReadonlySet<string>;
  /** Links whose mention was deleted: not attached, but attached again if the mention returns (undo). */
  readonly unmentioned: readonly Part[];
  /** The queued message being edited. */
  readonly editing: QueueEdit | null;
  /** The draft as the server last had it; what equals it was not touched here since. */
  readonly keptDraft: string;
  readonly keptAttachments: readonly Part[];
  /** How many messages back the text was taken from with the arrow keys; null when it was not, or was touched since. */
  readonly recalled: number | null;
  /** The text was said before: the agent remembers that it was. */
  readonly isRepeat: boolean;
  readonly outgoing: readonly Outgoing[];
  /** What went wrong last, in the words of the one who refused. */
  readonly error: string | null;
  /** The first Esc was pressed; the next one cancels the turn. */
  readonly isCancelArmed: boolean;
}

/** One and the same, so that nothing looks like a change. */
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
  /** `content` stands for the typed text when a prompt was chosen instead of typed. */
  | {
      readonly type: "submitted";
      readonly commandId: CommandId;
      readonly isTurnActive: boolean;
      readonly isQueuePaused?: boolean;
      readonly content?: string;
      readonly steers?: boolean;
    }
  | { readonly type: "attached"; readonly parts: readonly Part[] }
  | { readonly type: "detached"; readonly part: Part }
  | { readonly type: "confirmed"; readonly commandIds: ReadonlySet<CommandId> }
  | { readonly type: "refused"; readonly message: string; readonly commandId?: CommandId | undefined }
  /** Without `attachments` those of before stay. */
  | { readonly type: "draft-received"; readonly content: string; readonly attachments?: readonly Part[] | undefined }
  | { readonly type: "draft-kept"; readonly content: string; readonly attachments: readonly Part[] }
  | { readonly type: "queued-taken"; readonly item: QueueItem; readonly aheadOf: readonly CommandId[] }
  /** Without a queue to go back to, the message stays in the composer. */
  | { readonly type: "edit-ended"; readonly commandId: CommandId; readonly hasQueue: boolean }
  | { readonly type: "message-taken"; readonly content: string; readonly attachments?: readonly Part[] | undefined }
  | { readonly type: "recalled"; readonly text: string; readonly back: number | null }
  | { readonly type: "escape-pressed"; readonly isTurnActive: boolean }
  | { readonly type: "escape-forgotten" }
  | { readonly type: "error-dismissed" };

/** What the step asks of the world. */
export type ComposerEffect = { readonly type: "send"; readonly message: Outgoing } | { readonly type: "cancel" };

export interface ComposerStep {
  readonly state: ComposerState;
  readonly effects: readonly ComposerEffect[];
}

/** Whether a link stands in the text as `@name`; a longer path that begins alike is another file. */
export function isMentioned(text: string, part: Part): boolean {
  if (part.type !== "link") return false;
  const mention = `@${part.name}`;
  for (let at = text.indexOf(mention); at !== -1; at = text.indexOf(mention, at + 1)) {
    if (!PATH_GOES_ON.test(text.slice(at + mention.length, at + mention.length + 2))) return true;
  }
  return false;
}

/** A full stop may end the sentence; before a letter it is part of the file's name. */
const PATH_GOES_ON = /^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u;

/** What is kept as the draft: during an edit both texts, so that a reload loses neither. */
export function draftOf({ text, attachments, editing }: ComposerState): Pick<ComposerState, "text" | "attachments"> {
  if (editing === null) return { text, attachments };
  const { draft } = editing;
  return {
    text: draft.text.trim() === "" ? text : `${text}\n\n${draft.text}`,
    attachments: draft.attachments.length === 0 ? attachments : [...attachments, ...draft.attachments],
  };
}
