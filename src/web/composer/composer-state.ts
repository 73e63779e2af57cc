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
}

/** What the composer holds. Plain data, changed only by `stepComposer`. */
export interface ComposerState {
  readonly text: string;
  /** Attachments of a queued message that was taken back for editing: they go out with it again. */
  readonly attachments: readonly Part[];
  /** The draft as the server last had it; a text that equals it was not touched here since. */
  readonly keptDraft: string;
  readonly outgoing: readonly Outgoing[];
  /** What went wrong last, in the words of the one who refused. */
  readonly error: string | null;
  /** The first Esc was pressed; the next one cancels the turn. */
  readonly isCancelArmed: boolean;
}

export const EMPTY_COMPOSER: ComposerState = {
  text: "",
  attachments: [],
  keptDraft: "",
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
    }
  | { readonly type: "confirmed"; readonly commandIds: ReadonlySet<CommandId> }
  | { readonly type: "refused"; readonly message: string; readonly commandId?: CommandId | undefined }
  | { readonly type: "draft-received"; readonly content: string }
  | { readonly type: "draft-kept"; readonly content: string }
  | { readonly type: "queued-taken"; readonly item: QueueItem }
  | { readonly type: "escape-pressed"; readonly isTurnActive: boolean }
  | { readonly type: "escape-forgotten" }
  | { readonly type: "error-dismissed" };

/** What the step asks of the world. */
export type ComposerEffect = { readonly type: "send"; readonly message: Outgoing } | { readonly type: "cancel" };

export interface ComposerStep {
  readonly state: ComposerState;
  readonly effects: readonly ComposerEffect[];
}
