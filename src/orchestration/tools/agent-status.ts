import { z } from "zod";
import { InfoOutput } from "../child-info.ts";
import { AgentIdInput, defineTool } from "../tool.ts";

export const listAgents = defineTool({
  name: "list_agents",
  title: "List agents",
  description: "The agents you have created that have not ended, oldest first, with how each stands.",
  input: { includeEnded: z.boolean().optional().describe("Also those that were killed.") },
  output: { agents: z.array(InfoOutput) },
  readOnly: true,
  run: async ({ children }, { includeEnded = false }) => ({
    agents: (await children.list()).filter(({ status }) => includeEnded || status !== "killed"),
  }),
});

export const getAgentStatus = defineTool({
  name: "get_agent_status",
  title: "Get an agent's status",
  description:
    "How one of your agents stands: starting, running, waiting (it asks something), idle, failed or killed; and why. " +
    "To wait for a change use wait_for_agents rather than asking again and again.",
  input: { agentId: AgentIdInput },
  output: { status: z.string(), info: InfoOutput },
  readOnly: true,
  run: async ({ children }, { agentId }) => {
    const info = await children.info(agentId);
    return { status: info.status, info };
  },
});
