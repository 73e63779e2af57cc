import type { ClientMessage, QuestionResponse } from "../protocol/client-messages.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { Answer } from "../sessions/answer.ts";

export type Reconnect = Extract<ClientMessage, { type: "session:reconnect" }>;

export type Authenticate = Extract<ClientMessage, { type: "agent:authenticate" }>;
export type InstallMessage = Extract<
  ClientMessage,
  { type: "agent:install" | "agent:install-cancel" | "agent:uninstall" | "agent:rollback" }
>;
export type ChooseTopology = Extract<ClientMessage, { type: "agent:topology" }>;
export type TerminalMessage = Extract<ClientMessage, { type: `terminal:${string}` }>;

/** What a client may ask about agents as such, apart from any session. */
export interface AgentDirectory {
  list(): readonly AgentInfo[];
  /** Answers `reconnecting` at once, and how it went when that is known. */
  reconnect(message: Reconnect): Answer;
  /** Walks one of the agent's own sign-in methods; `terminal:opened` when that happens in a terminal. */
  authenticate(message: Authenticate): Promise<Answer>;
  terminal(message: TerminalMessage): Answer;
  /** Every client gets the new list. */
  chooseTopology(message: ChooseTopology): Answer;
  /** The user's answer to a question that belongs to no session. */
  respond(response: QuestionResponse): Answer;
  /** Answers when it is done; how far it is comes to everyone on the way. */
  install(message: InstallMessage): Promise<Answer>;
}
