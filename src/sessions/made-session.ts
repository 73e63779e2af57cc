import type { AgentSession } from "../ports/agents.ts";
import type { Delegation } from "../ports/delegation-store.ts";
import type { AgentBinding } from "../ports/session-log.ts";
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

/** A new session whose agent is there, and which is not stored yet. */
export interface MadeSession {
  readonly command: Extract<ClientMessage, { type: "session:create" }>;
  readonly id: SessionId;
  readonly cwd: string;
  readonly agent: AgentSession;
  readonly early: EarlyEvents;
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
  const { agentSessionId } = agent;
  const binding: AgentBinding = { agentSessionId, createdAt, cwd, state: "active", since: createdAt };
  const message: PlainServerMessage = { type: "session:created", sessionId: id, projectId, session: row };
  const answer: Answer = { kind: "message", message, published: true };
  return { row, binding, message, answer };
}
