import type { Said } from "../../ports/session-log.ts";
import type { Entry, Part, UserEntry } from "../../protocol/entry.ts";
import type { Refusal } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { CommandId, ElicitationId, EntryId, PermissionId, TurnId } from "../../protocol/ids.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PermissionOutcome, PermissionToolCall } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import type { JudgedQuestion } from "../policy/permission-judge.ts";
import type { Consideration } from "../policy/policy-service.ts";

/** All that deciding and observing may know: the state, the time, fresh ids, and entries that have left the state. */
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
  /** In words, how a question that is no longer open ended. */
  readonly endOfQuestion: (id: PermissionId | ElicitationId) => string;
  /** What the policy has to say at once; without one, every question is the user's. */
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

/** What is to be done once the facts are stored: something for the agent, or a question for the policy. */
export type Effect = AgentEffect | ({ type: "judge-permission" } & JudgedQuestion);

export interface Outcome {
  readonly facts: readonly FactBody[];
  readonly effects: readonly Effect[];
}

/** `answer` names the fact that answers the command; null answers a plain `ok`. */
export type Decision =
  | ({ readonly ok: true; readonly answer: FactBody["type"] | null } & Outcome)
  | { readonly ok: false; readonly refusal: Refusal };

export const NOTHING: Outcome = { facts: [], effects: [] };
