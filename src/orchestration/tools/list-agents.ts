import { z } from "zod";
import { InfoOutput } from "../info-output.ts";
import { defineTool } from "../tool.ts";

export const listAgents = defineTool({
  name: "list_agents",
  title: "List agents",
  description: "The agents you have created that have not ended, oldest first, with how each stands.",
  input: { includeEnded: z.boolean().optional().describe("Also those that were killed.") },
  output: { agents: z.array(InfoOutput) },
  readOnly: true,
  run: ({ children }, { includeEnded = false }) => ({
    agents: children.list().filter(({ status }) => includeEnded || status !== "killed"),
  }),
});
