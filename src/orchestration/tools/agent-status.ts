import { z } from "zod";
import { InfoOutput } from "../child-info.ts";
import { AgentIdInput, defineTool } from "../tool.ts";

export const listAgents = defineTool({
  name: "list_agents",
  title: "List agents",
  needs: "look",
  description: "Lists the agents you created that were not killed, oldest first, with their status.",
  input: { includeEnded: z.boolean().optional().describe("Include killed agents.") },
  output: { agents: z.array(InfoOutput) },
  readOnly: true,
  run: async ({ children }, { includeEnded = false }) => ({
    agents: (await children.list()).filter(({ status }) => includeEnded || status !== "killed"),
  }),
});

export const getAgentStatus = defineTool({
  name: "get_agent_status",
  title: "Get an agent's status",
  needs: "look",
  description:
    "Status of one of your agents: starting, running, waiting (for an answer), idle, failed or killed; and the reason. " +
    "To wait for a change use wait_for_agents rather than polling.",
  input: { agentId: AgentIdInput },
  output: { status: z.string(), info: InfoOutput },
  readOnly: true,
  run: async ({ children }, { agentId }) => {
    const info = await children.info(agentId);
    return { status: info.status, info };
  },
});
