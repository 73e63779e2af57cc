import { z } from "zod";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { isRefusal } from "../../sessions/delegation/delegations.ts";
import { AgentIdInput, armWait, authorFor, defineTool, refuseVisibly, refuseWake } from "../tool.ts";
import { accepted } from "../tool-error.ts";

const PROMPT_CHARS_MAX = 200_000;

export const sendAgentPrompt = defineTool({
  name: "send_agent_prompt",
  title: "Send an agent a prompt",
  needs: "work",
  description: "Sends a prompt to one of your agents. While it is working, the prompt is queued until its turn ends.",
  input: {
    agentId: AgentIdInput,
    prompt: z.string().min(1).max(PROMPT_CHARS_MAX),
    wake: z.boolean().optional().describe("Wake this session with a digest when the agent has finished."),
  },
  output: { success: z.boolean() },
  run: async (context, { agentId, prompt, wake }) => {
    const { sessions, delegations, children, commandId } = context;
    refuseWake(context.caller, wake);
    const id = commandId("send");
    const isSent = id !== undefined && (await sessions.isDone(id));
    const { row, state } = await (isSent ? children.find(agentId) : children.findAlive(agentId));
    const admitted = isSent
      ? null
      : isTurnActive(state.turn)
        ? await delegations.refuseSpending(row.id)
        : await delegations.admitTurn(row.id, row.id);
    if (admitted && isRefusal(admitted)) throw await refuseVisibly(context, admitted);
    try {
      const send = { type: "session:send", sessionId: row.id, content: prompt, author: authorFor(context) } as const;
      accepted(await sessions.execute({ ...send, ...(id !== undefined && { commandId: id }) }));
      if (wake) await armWait(context, [row.id], "all");
      return { success: true };
    } finally {
      admitted?.[Symbol.dispose]();
    }
  },
});
