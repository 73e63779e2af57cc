import type { AgentStatus } from "../../protocol/server-messages.ts";

/** The state of an agent's process, in one word. */
export const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  idle: "Idle",
  starting: "Starting",
  connected: "Connected",
  disconnected: "Disconnected",
  reconnecting: "Reconnecting",
};

export const STATUS_TAGS: Readonly<Record<AgentStatus, string>> = {
  idle: "tag",
  starting: "tag info",
  connected: "tag ok",
  disconnected: "tag error",
  reconnecting: "tag info",
};
