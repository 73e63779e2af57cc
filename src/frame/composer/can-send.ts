import type { AgentStatus } from "../../protocol/server-messages.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-schema.ts";

interface SendSurroundings {
  /** The session's history has arrived. */
  readonly isOpened: boolean;
  /** The page's socket to the server is up. */
  readonly isConnected: boolean;
  /** What is sent can be stored. */
  readonly isWritable: boolean;
  readonly status: AgentStatus;
}

/** Whether a message could go out now; an agent that is merely not running is started by it. */
export function canSend({ isOpened, isConnected, isWritable, status }: SendSurroundings): boolean {
  return isOpened && isConnected && isWritable && status !== "disconnected" && status !== "reconnecting";
}

/** Whether a message could join the turn that runs. */
export function canSteer({ turn, config }: SessionState): boolean {
  return isTurnActive(turn) && config.abilities?.steering === true;
}
