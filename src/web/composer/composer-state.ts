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
}

/** What the composer holds. Plain data, changed only by `stepComposer`. */
export interface ComposerState {
  readonly text: string;
  /** What goes out with the text: images, files, and links to the files it mentions. */
  readonly attachments: readonly Part[];
  /** Links that stand in the text as `@name`: with their words gone, they do not go out. */
  readonly mentioned: ReadonlySet<string>;
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
  | { readonly type: "queued-taken"; readonly item: QueueItem }
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

/** Whether a link stands in the text as `@name`. */
export function isMentioned(text: string, part: Part): boolean {
  return part.type === "link" && text.includes(`@${part.name}`);
}
