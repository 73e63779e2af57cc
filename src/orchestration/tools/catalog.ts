import type { Tool } from "../tool.ts";
import { answerAgent } from "./answer-agent.ts";
import { cancelAgent } from "./cancel-agent.ts";
import { createCodingAgent } from "./create-coding-agent.ts";
import { getAgentOutput } from "./get-agent-output.ts";
import { getAgentStatus } from "./get-agent-status.ts";
import { killAgent } from "./kill-agent.ts";
import { listAgentKinds } from "./list-agent-kinds.ts";
import { listAgents } from "./list-agents.ts";
import { searchSessions } from "./search-sessions.ts";
import { sendAgentPrompt } from "./send-agent-prompt.ts";
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
