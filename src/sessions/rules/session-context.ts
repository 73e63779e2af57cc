import type { AgentEvent } from "../../ports/agents.ts";
import type { Said } from "../../ports/session-log.ts";
import type { Entry, Part, UserEntry } from "../../protocol/entry.ts";
import type { Refusal } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { CommandId, ElicitationId, EntryId, PermissionId, TurnId } from "../../protocol/ids.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PendingPermission, PermissionOutcome, PermissionToolCall } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
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
  /** All that was said in ended turns, oldest first. */
  readonly said: () => readonly Said[];
  readonly settledEntry: (entryId: EntryId) => Entry | null;
  readonly settledByAgentId: (agentId: string) => Entry | null;
  readonly requests: RequestRegister;
  /** What the policy says at once; without a policy, the user answers every request. */
  readonly consider?: (toolCall: PermissionToolCall) => Consideration;
}

/** What must reach the agent once the facts are stored. */
export type AgentEffect =
  /** `afresh`: the agent session of before is given up. */
  | { type: "prompt"; turnId: TurnId; content: string; attachments: readonly Part[]; afresh?: true }
  | { type: "steer"; turnId: TurnId; commandId: CommandId; content: string; attachments: readonly Part[] }
  | { type: "cancel"; turnId: TurnId }
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
  /** The user has the request already, and the policy has changed. */
  readonly isOpen: boolean;
}

/** What a session observes besides its agent: its policy. */
export type PolicyEvent =
  | ({ readonly type: "permission-evaluated"; readonly verdict: Verdict } & Evaluation)
  | { readonly type: "policy-changed" };

export type Observed = AgentEvent | PolicyEvent;

/**
 * What a session keeps about its requests besides the open ones. The open ones are `pending` and `visits` of the
 * session's state, where every reader finds them.
 */
export interface RequestRegister {
  /** Permission requests whose verdict is still to come. */
  readonly evaluating: ReadonlyMap<PermissionId, Evaluation>;
  /** How the latest requests ended, in words. */
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
