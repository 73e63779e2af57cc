import type { Tool } from "../tool.ts";
import { getAgentStatus, listAgents } from "./agent-status.ts";
import { answerAgent } from "./answer-agent.ts";
import { createCodingAgent } from "./create-coding-agent.ts";
import { getAgentChanges } from "./get-agent-changes.ts";
import { getAgentOutput } from "./get-agent-output.ts";
import { listAgentKinds } from "./list-agent-kinds.ts";
import { readConversation } from "./read-conversation.ts";
import { searchSessions } from "./search-sessions.ts";
import { sendAgentPrompt } from "./send-agent-prompt.ts";
import { cancelAgent, killAgent } from "./stop-agent.ts";
import { waitForAgents } from "./wait-for-agents.ts";

/** All tools, in display order. */
export const TOOLS: readonly Tool[] = [
  createCodingAgent,
  sendAgentPrompt,
  getAgentStatus,
  listAgents,
  cancelAgent,
  killAgent,
  waitForAgents,
  getAgentOutput,
  getAgentChanges,
  answerAgent,
  readConversation,
  searchSessions,
  listAgentKinds,
];
