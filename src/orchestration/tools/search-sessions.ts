import { z } from "zod";
import { CliType } from "../../protocol/ids.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const QUERY_CHARS_MAX = 1_000;
const HITS_DEFAULT = 20;
const HITS_MAX = 100;
/** Number of hits that are filtered for a session's own. */
const HITS_LOOKED_AT = 200;

const Hit = z.looseObject({
  agentId: z.string(),
  title: z.string(),
  cliType: z.string(),
  kind: z.string(),
  entryId: z.string().optional(),
  timestamp: z.string().optional(),
  text: z.string(),
});

export const searchSessions = defineTool({
  name: "search_sessions",
  title: "Search sessions",
  needs: "look",
  description:
    "Searches this session and all its descendants or, for an external program, all sessions. All words must occur; " +
    "quoted phrases are matched exactly.",
  input: {
    query: z.string().min(1).max(QUERY_CHARS_MAX),
    agent: z.optional(z.string().max(64)).describe("Only sessions of this agent."),
    limit: z.int().min(1).max(HITS_MAX).optional(),
  },
  output: {
    hits: z.array(Hit),
    hasMore: z.boolean().describe("There may be more hits."),
    note: z.string().optional(),
  },
  readOnly: true,
  run: async (context, { query, agent, limit = HITS_DEFAULT }) => {
    const cliType = CliType.safeParse(agent).data;
    const request = { query, includeArchived: true, limit: HITS_LOOKED_AT, ...(cliType !== undefined && { cliType }) };
    const within = context.person === null ? null : context.rights.within(context.person);
    const hits = await context.sessions.search(request, within);
    const inSight = await Promise.all(hits.map(({ sessionId }) => isInSight(context, sessionId)));
    const seen = hits.filter((_, index) => inSight[index]);
    const hasMore = seen.length > limit || hits.length === HITS_LOOKED_AT;
    return { hits: seen.slice(0, limit).map(hitOf), hasMore, ...(hasMore && { note: noteOf(seen.length, limit) }) };
  },
});

function noteOf(found: number, limit: number): string {
  const shown = Math.min(found, limit);
  const raise = found > limit && limit < HITS_MAX ? `Set limit (at most ${HITS_MAX}) to see more, or ` : "";
  const narrow = "use more words, or filter by agent, to narrow the search.";
  return `Only the best ${shown} hits are shown. ${raise === "" ? "U" : `${raise}u`}${narrow.slice(1)}`;
}

/** A session searches itself and its descendants; never other sessions. */
async function isInSight({ caller, delegations }: ToolContext, sessionId: SearchHit["sessionId"]): Promise<boolean> {
  if (caller === null) return true;
  for (let id: SearchHit["sessionId"] | null | undefined = sessionId; id; id = await delegations.parentOf(id))
    if (id === caller) return true;
  return false;
}

function hitOf({ sessionId, title, cliType, kind, entryId, timestamp, snippet }: SearchHit): z.infer<typeof Hit> {
  return {
    agentId: sessionId,
    title,
    cliType,
    kind,
    text: snippet.map(({ text }) => text).join(""),
    ...(entryId !== undefined && { entryId }),
    ...(timestamp !== undefined && { timestamp }),
  };
}
