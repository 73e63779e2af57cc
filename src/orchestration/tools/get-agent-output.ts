import { z } from "zod";
import { EntryId } from "../../protocol/ids.ts";
import { lastMessage, spoken } from "../child-info.ts";
import { AgentIdInput, defineTool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";

const RANGE_ENTRIES_MAX = 100;
const RANGE_ENTRIES_DEFAULT = 20;
/** Enough to find the last message of a turn that ended with many tool calls. */
const LAST_MESSAGE_ENTRIES = 100;

const Spoken = z.looseObject({
  entryId: z.string(),
  type: z.string(),
  text: z.string(),
  status: z.string().optional(),
});

export const getAgentOutput = defineTool({
  name: "get_agent_output",
  title: "Get an agent's output",
  needs: "look",
  description:
    "The last output and status of one of your agents. With a range, its transcript: the newest entries, or those before an entry.",
  input: {
    agentId: AgentIdInput,
    range: z
      .strictObject({
        limit: z.int().min(1).max(RANGE_ENTRIES_MAX).optional(),
        before: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe("An entryId from an earlier result: returns the entries before it."),
      })
      .optional(),
  },
  output: {
    agentId: z.string(),
    status: z.string(),
    outcome: z.string(),
    why: z.string().optional(),
    text: z.string(),
    entries: z.array(Spoken).optional(),
    hasMore: z.boolean().optional(),
  },
  readOnly: true,
  run: async ({ sessions, children }, { agentId, range }) => {
    const { status, outcome, why, agentId: sessionId } = await children.info(agentId);
    const start = await sessions.open(sessionId, undefined, LAST_MESSAGE_ENTRIES);
    const newest = start?.type === "session:history" ? start.entries : [];
    const told = { agentId, status, outcome, ...(why !== undefined && { why }), text: lastMessage(newest) };
    if (range === undefined) return told;
    const { before, limit = RANGE_ENTRIES_DEFAULT } = range;
    const page =
      before === undefined
        ? await sessions.open(sessionId, undefined, limit)
        : await sessions.page({ type: "session:page", sessionId, before: EntryId.parse(before), limit });
    if (page?.type !== "session:history" && page?.type !== "session:page")
      throw new ToolError(`range.before: no entry "${before}" in this agent's transcript.`);
    const entries = page.entries.slice(-limit).map(spoken);
    return { ...told, entries, hasMore: page.hasMore || page.entries.length > limit };
  },
});
