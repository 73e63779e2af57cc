import type { AgentStatus } from "../../protocol/session-messages.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";

interface SendSurroundings {
  /** The session's history has arrived. */
  readonly isOpened: boolean;
  /** The page's socket to the server is up. */
  readonly isConnected: boolean;
  /** Messages can be stored. */
  readonly isWritable: boolean;
  readonly status: AgentStatus;
  /** `looks`: may change nothing here. */
  readonly person: { readonly looks: boolean } | null;
}

/** Whether a message can be sent now; it starts an agent that is not running. */
export function canSend({ isOpened, isConnected, isWritable, status, person }: SendSurroundings): boolean {
  if (person?.looks) return false;
  return isOpened && isConnected && isWritable && status !== "disconnected" && status !== "reconnecting";
}

/** Whether a message can join the running turn. */
export function canSteer({ turn, config }: SessionState): boolean {
  return isTurnActive(turn) && config.abilities?.steering === true;
}
