import { z } from "zod";
import { AgentIdInput, defineTool } from "../tool.ts";
import { accepted } from "../tool-error.ts";

export const cancelAgent = defineTool({
  name: "cancel_agent",
  title: "Cancel an agent",
  needs: "work",
  description: "Stops the running turn of one of your agents. It keeps its memory and accepts further prompts.",
  input: { agentId: AgentIdInput },
  output: { success: z.boolean() },
  run: async ({ sessions, children, commandId }, { agentId }) => {
    const { row } = await children.find(agentId);
    const id = commandId("cancel");
    const command = { type: "session:cancel", sessionId: row.id } as const;
    accepted(await sessions.execute({ ...command, ...(id !== undefined && { commandId: id }) }));
    return { success: true };
  },
});

export const killAgent = defineTool({
  name: "kill_agent",
  title: "Kill an agent",
  needs: "work",
  description: "Permanently ends one of your agents and all agents it started. Its output can still be read.",
  input: { agentId: AgentIdInput },
  output: { success: z.boolean() },
  run: async ({ sessions, children, commandId }, { agentId }) => {
    const { row } = await children.find(agentId);
    const id = commandId("kill");
    const command = { type: "session:kill", sessionId: row.id } as const;
    accepted(await sessions.execute({ ...command, ...(id !== undefined && { commandId: id }) }));
    return { success: true };
  },
});
