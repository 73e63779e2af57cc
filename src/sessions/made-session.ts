import type { AgentSession } from "../ports/agents.ts";
import type { Delegation } from "../ports/delegation-store.ts";
import { type AgentBinding, NO_AGENT_SESSION } from "../ports/session-log.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import type { Budget, Delegator } from "../protocol/delegation.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage, SessionRow } from "../protocol/server-messages.ts";
import { UNTITLED } from "../protocol/session-state.ts";
import type { EarlyEvents } from "./agent/early-events.ts";
import type { Answer } from "./answer.ts";

/** For whom a session is started, and what it may spend. */
export interface CreatedFor {
  readonly by: Delegator;
  readonly budget: Budget;
}

/** A new session that is not stored yet. */
export interface MadeSession {
  readonly command: Extract<ClientMessage, { type: "session:create" }>;
  readonly id: SessionId;
  readonly cwd: string;
  /** Null: it starts when the session is stored. */
  readonly agent: { readonly session: AgentSession; readonly early: EarlyEvents } | null;
  readonly delegation: Delegation | undefined;
}

/** What is stored of it, and what everyone is told. */
export function describeNew({ command, id, cwd, agent, delegation }: MadeSession, createdAt: string) {
  const { projectId, cliType, title } = command;
  const parentId = delegation?.parentId ?? null;
  const row: SessionRow = {
    id,
    projectId,
    cliType,
    title: title ?? UNTITLED,
    createdAt,
    lastActiveAt: createdAt,
    archived: false,
    turn: { state: "idle" },
    unread: false,
    ...(parentId !== null && { parentId }),
  };
  const agentSessionId = agent?.session.agentSessionId ?? NO_AGENT_SESSION;
  const binding: AgentBinding = { agentSessionId, createdAt, cwd, state: agent ? "active" : "idle", since: createdAt };
  const session: SessionRow = agent ? row : { ...row, start: { state: "starting" } };
  const message: PlainServerMessage = { type: "session:created", sessionId: id, projectId, session };
  const answer: Answer = { kind: "message", message, published: true };
  return { row, binding, message, answer };
}
