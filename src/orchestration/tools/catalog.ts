import type { Tool } from "../tool.ts";
import { getAgentStatus, listAgents } from "./agent-status.ts";
import { answerAgent } from "./answer-agent.ts";
import { createCodingAgent } from "./create-coding-agent.ts";
import { getAgentOutput } from "./get-agent-output.ts";
import { listAgentKinds } from "./list-agent-kinds.ts";
import { searchSessions } from "./search-sessions.ts";
import { sendAgentPrompt } from "./send-agent-prompt.ts";
import { cancelAgent, killAgent } from "./stop-agent.ts";
import { waitForAgents } from "./wait-for-agents.ts";

/** Every tool there is, in the order they are shown. */
export const TOOLS: readonly Tool[] = [
  createCodingAgent,
  sendAgentPrompt,
  getAgentStatus,
  listAgents,
  cancelAgent,
  killAgent,
  waitForAgents,
  getAgentOutput,
  answerAgent,
  searchSessions,
  listAgentKinds,
];
