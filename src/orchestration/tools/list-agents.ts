import { z } from "zod";
import { InfoOutput } from "../info-output.ts";
import { defineTool } from "../tool.ts";

export const listAgents = defineTool({
  name: "list_agents",
  title: "List agents",
  description: "All agents you have created, oldest first, with how each stands.",
  input: {},
  output: { agents: z.array(InfoOutput) },
  readOnly: true,
  run: ({ children }) => ({ agents: [...children.list()] }),
});
