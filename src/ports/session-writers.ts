import type { OtherWriter } from "../protocol/conversations.ts";
import type { CliType } from "../protocol/ids.ts";

/** An agent's own conversation, as its files and processes show it. */
export interface OwnConversation {
  readonly cliType: CliType;
  readonly agentSessionId: string;
  readonly cwd: string;
}

/** Who writes a conversation besides us. `unknown`: this agent leaves no trace of that. */
export interface SessionWriter extends OtherWriter {
  readonly state: "free" | "held" | "unknown";
}

/**
 * Inspects files and processes of this machine without changing anything: nothing is written, locked, started or
 * ended. Takes a few milliseconds at most.
 */
export interface SessionWriters {
  /**
   * Another process that has the conversation open. `ownUntil`: until when our own process may have written to its
   * file, in milliseconds since 1970; null: never.
   */
  writerOf(conversation: OwnConversation, ownUntil: number | null): SessionWriter;
  /** One of our own processes still has it open, so that no other could open it. */
  isHeldByUs(conversation: OwnConversation): boolean;
  /** A message was added after that time, in milliseconds since 1970; null if unknown. */
  saidAfter(conversation: OwnConversation, time: number): boolean | null;
  /** The command that opens the conversation in a terminal; null for an agent without one. */
  terminalCommand(conversation: OwnConversation): string | null;
}
