import type { AgentEvent } from "../../ports/agents.ts";
import type { Said } from "../../ports/session-log.ts";
import type { Restored, TurnChanges } from "../../ports/workdirs.ts";
import type { ChangeCounts, CheckpointId } from "../../protocol/changes.ts";
import type { ContextCounts, LimitsResume, OtherWriter, Primer } from "../../protocol/conversations.ts";
import type { Entry, Part, UserEntry } from "../../protocol/entry.ts";
import type { Refusal } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { CommandId, ElicitationId, EntryId, PermissionId, TurnId } from "../../protocol/ids.ts";
import type { PersonRef } from "../../protocol/person-ref.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PendingPermission, PermissionOutcome, PermissionToolCall } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import type { SessionWorktree } from "../../protocol/worktree-ref.ts";
import type { Verdict } from "../policy/policy.ts";
import type { Consideration } from "../policy/policy-service.ts";

/** The input of `decide` and `observe`: the state, the time, new ids, and entries that have left the state. */
export interface SessionContext {
  readonly state: SessionState;
  /** ISO 8601, UTC. */
  readonly now: string;
  readonly newId: () => string;
  /** The turn the user has asked to stop, if one is still ending. */
  readonly cancelling: TurnId | null;
  /** The newest entry that has left the state. */
  readonly lastSettled: Entry | null;
  /** The newest message of the user that has left the state. */
  readonly lastUserEntry: () => UserEntry | null;
  /** The messages of ended turns, oldest first. */
  readonly said: () => readonly Said[];
  readonly settledEntry: (entryId: EntryId) => Entry | null;
  readonly settledByAgentId: (agentId: string) => Entry | null;
  readonly requests: RequestRegister;
  /** Whether the session continues by itself after a usage limit; by default the user is asked. */
  readonly limitsResume?: () => LimitsResume;
  /** The policy's immediate view; without a policy, the user answers every request. */
  readonly consider?: (toolCall: PermissionToolCall) => Consideration;
}

/** What must be sent to the agent once the facts are stored. */
export type AgentEffect =
  /** `entryId`: of the message. `afresh`: the previous agent session is given up. */
  | {
      type: "prompt";
      turnId: TurnId;
      entryId: EntryId;
      content: string;
      attachments: readonly Part[];
      afresh?: true;
    }
  | { type: "steer"; turnId: TurnId; commandId: CommandId; content: string; attachments: readonly Part[] }
  | { type: "cancel"; turnId: TurnId }
  | { type: "stop-sub-agent"; toolCallId: string }
  | { type: "answer-permission"; permissionId: PermissionId; outcome: PermissionOutcome }
  | { type: "answer-question"; elicitationId: ElicitationId; answer: QuestionAnswer }
  | { type: "close-agent" };

/** What to do once the facts are stored: send something to the agent, or have the policy evaluate a request. */
export type Effect = AgentEffect | ({ type: "evaluate-permission" } & Evaluation);

/** A permission request that the policy evaluates. */
export interface Evaluation {
  /** Of two evaluations of one request, the later one counts. */
  readonly evaluationId: string;
  readonly request: PendingPermission;
  /** The request is already shown to the user, and the policy has changed. */
  readonly isOpen: boolean;
}

/** Events of a session's own parts: its policy. */
export type PolicyEvent =
  | ({ readonly type: "permission-evaluated"; readonly verdict: Verdict } & Evaluation)
  | { readonly type: "policy-changed" };

/** Events about the files that a session works on. */
export type WorkdirEvent =
  | { readonly type: "turn-changes"; readonly turnId: TurnId; readonly changes: TurnChanges }
  | { readonly type: "changes-counted"; readonly counts: ChangeCounts | null }
  /** The user changed files that the agent may remember otherwise. The note goes to it with the next prompt. */
  | { readonly type: "agent-noted"; readonly note: string }
  /** A decision that the user requested during a turn failed after it. */
  | { readonly type: "discard-failed"; readonly content: string }
  /** It works in another directory from now on, where its agent starts afresh with the primer. */
  | {
      readonly type: "session-moved";
      readonly worktree: SessionWorktree | null;
      readonly content: string;
      readonly primer: Primer;
    }
  /**
   * The agent had to start without its memory. `context`: the context pack it gets instead; null: there are no
   * messages.
   */
  | { readonly type: "memory-lost"; readonly context: ContextCounts | null }
  /** `note` is for the agent, which gets it with the next prompt. */
  | {
      readonly type: "files-restored";
      readonly to: CheckpointId;
      readonly restored: Restored;
      readonly content: string;
      readonly note: string;
      readonly person?: PersonRef | undefined;
    }
  | {
      readonly type: "restore-undone";
      readonly undoId: string;
      readonly content: string;
      readonly person?: PersonRef | undefined;
    }
  /** One of several people did something that others should find in the transcript. */
  | { readonly type: "person-acted"; readonly content: string; readonly person: PersonRef };

/** Which of several people sent a command; no client can say that itself. */
export type Acted<Command> = Command & { readonly person?: PersonRef };

/** Events about other programs that have its conversation open. */
export type WriterEvent =
  | { readonly type: "writer-seen"; readonly writer: OtherWriter | null }
  /** New messages there were read up to that moment. */
  | { readonly type: "caught-up" }
  | { readonly type: "handed-back"; readonly command: string };

export type Observed = AgentEvent | PolicyEvent | WorkdirEvent | WriterEvent;

/**
 * What a session keeps about its requests besides the open ones. The open ones are `pending` and `visits` of the
 * session's state, where every reader finds them.
 */
export interface RequestRegister {
  /** Permission requests without a verdict yet. */
  readonly evaluating: ReadonlyMap<PermissionId, Evaluation>;
  /** How the latest requests ended, as text. */
  readonly ended: ReadonlyMap<PermissionId | ElicitationId, string>;
}

export interface Outcome {
  readonly facts: readonly FactBody[];
  readonly effects: readonly Effect[];
}

/** `answer` names the fact that answers the command; null answers a plain `ok`. */
export type Decision =
  | ({ readonly ok: true; readonly answer: FactBody["type"] | null } & Outcome)
  | { readonly ok: false; readonly refusal: Refusal };

export const NOTHING: Outcome = { facts: [], effects: [] };
