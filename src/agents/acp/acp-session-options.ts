import type { AgentSink, IsStored, RejoinRequest } from "../../ports/agents.ts";
import type { Refusal } from "../../protocol/errors.ts";
import type { ElicitationId } from "../../protocol/ids.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { PromptAbilities } from "../../protocol/session-parts.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { AcpConnection } from "./connection/acp-connection.ts";
import type { AcpFailure } from "./connection/acp-hooks.ts";

export interface AcpSessionOptions {
  readonly agentSessionId: string;
  readonly connection: AcpConnection;
  readonly abilities: () => PromptAbilities;
  readonly sink: AgentSink;
  readonly processId: string | null;
  /** With the line a question came in, names it for ever. */
  readonly questionPrefix: string;
  readonly isStored: IsStored;
  /** For a conversation of an earlier server. */
  readonly past?: StoredPast;
  readonly requests: ClientRequests;
  readonly hasQuestion: (id: string) => boolean;
  readonly answerQuestion: (elicitationId: ElicitationId, answer: QuestionAnswer) => void;
  /** Resolves when the agent no longer works on the session, whose open prompts are these. */
  readonly onClosed: (session: ClosedSession, openPrompts: readonly string[]) => Promise<void> | void;
  readonly onTurnCompleted: () => void;
  readonly refuse: (failure: AcpFailure) => Refusal;
}

/** A session that is being closed: what the agent still says about it goes to its sink. */
export interface ClosedSession {
  readonly agentSessionId: string;
  readonly sink: AgentSink;
}

/** What a session has stored of a conversation. */
export type StoredPast = Pick<RejoinRequest, "heard" | "outcomeOf" | "isOpen">;
