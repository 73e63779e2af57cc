import type { ClientMessage } from "../protocol/client-messages.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";

export type Reconnect = Extract<ClientMessage, { type: "session:reconnect" }>;

/** What a client may ask about agents as such, apart from any session. */
export interface AgentDirectory {
  list(): readonly AgentInfo[];
  /** Answers `reconnecting` at once, and how it went when that is known. */
  reconnect(message: Reconnect): Answer;
}
