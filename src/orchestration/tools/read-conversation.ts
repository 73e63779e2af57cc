import { z } from "zod";
import type { Entry } from "../../protocol/entry.ts";
import { EntryId, SessionId } from "../../protocol/ids.ts";
import { OUTPUT_PIECE_CHARS_MAX } from "../../protocol/limits.ts";
import { isSessionMentioned } from "../../protocol/session-mention.ts";
import { spoken } from "../child-info.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { ToolError } from "../tool-error.ts";

const ENTRIES_MAX = 100;
const ENTRIES_DEFAULT = 20;
const PAGE_ENTRIES = 200;
/** Of one entry; the page and `liminal export` have all. */
const OUTPUT_CHARS_MAX = 1_000_000;

const EntryIdInput = z.string().min(1).max(200);

export const readConversation = defineTool({
  name: "read_conversation",
  title: "Read a conversation",
  needs: "look",
  description:
    "This session's own conversation with every word, with what it inherited from the session it was branched from: the newest entries, those before an entry, or one entry in full. Another session can be read if the user has mentioned it here.",
  input: {
    sessionId: z.string().max(200).optional().describe("A session that the user has mentioned. Default: this one."),
    before: EntryIdInput.optional().describe("An entryId from an earlier result: returns the entries before it."),
    limit: z.int().min(1).max(ENTRIES_MAX).optional(),
    entryId: EntryIdInput.optional().describe("Returns this entry in full, as it is stored."),
  },
  output: {
    sessionId: z.string(),
    entries: z.array(z.looseObject({ entryId: z.string(), type: z.string(), text: z.string() })).optional(),
    hasMore: z.boolean().optional(),
    entry: z.looseObject({ entryId: z.string(), type: z.string() }).optional(),
    output: z.string().optional(),
  },
  readOnly: true,
  run: async (context, { sessionId: named, before, limit = ENTRIES_DEFAULT, entryId }) => {
    const sessionId = await readable(context, named);
    if (entryId !== undefined) return { sessionId, ...(await wholeEntry(context, sessionId, entryId)) };
    const { sessions } = context;
    const page =
      before === undefined
        ? await sessions.open(sessionId, undefined, limit)
        : await sessions.page({ type: "session:page", sessionId, before: EntryId.parse(before), limit });
    if (page?.type !== "session:history" && page?.type !== "session:page")
      throw new ToolError(`before: no entry "${before}" in this conversation. Leave it out for the newest entries.`);
    const entries = page.entries.slice(-limit).map(spoken);
    return { sessionId, entries, hasMore: page.hasMore || page.entries.length > limit };
  },
});

/** The caller's own session, or one that the user has mentioned in it. */
async function readable({ caller, sessions, rights }: ToolContext, named: string | undefined): Promise<SessionId> {
  if (caller === null) throw new ToolError("Only a session's own agent can read its conversation.");
  if (named === undefined || named === caller) return caller;
  const sessionId = SessionId.safeParse(named).data;
  const isMentioned = sessionId !== undefined && (await mentions({ sessions }, caller, sessionId));
  // With several people, one may mention a session that others in this project may not see, and vice versa.
  const isElsewhere = async (id: SessionId) =>
    !rights.isAlone() && (await sessions.row(id))?.projectId !== (await sessions.row(caller))?.projectId;
  if (isMentioned && (await isElsewhere(sessionId)))
    throw new ToolError("sessionId: this session is in another project. Only those of this project can be read here.");
  if (!isMentioned || !(await sessions.exists(sessionId)))
    throw new ToolError("sessionId: the user has not mentioned this session here. Ask them to mention it with @.");
  return sessionId;
}

async function mentions(
  { sessions }: Pick<ToolContext, "sessions">,
  caller: SessionId,
  sessionId: SessionId,
): Promise<boolean> {
  const start = await sessions.open(caller, undefined, PAGE_ENTRIES);
  if (start?.type !== "session:history") return false;
  let [entries, hasMore]: [readonly Entry[], boolean] = [start.entries, start.hasMore];
  for (;;) {
    if (isSessionMentioned(entries, sessionId)) return true;
    const before = entries[0]?.entryId;
    if (!hasMore || before === undefined) return false;
    const page = await sessions.page({ type: "session:page", sessionId: caller, before, limit: PAGE_ENTRIES });
    if (!page) return false;
    [entries, hasMore] = [page.entries, page.hasMore];
  }
}

/** As it is stored, with all of a tool's output. */
async function wholeEntry({ sessions }: ToolContext, sessionId: SessionId, wanted: string) {
  const entry = await sessions.entry(sessionId, EntryId.parse(wanted));
  if (!entry) throw new ToolError(`entryId: no entry "${wanted}" in this conversation.`);
  if (entry.type !== "tool-call" || !entry.truncated) return { entry };
  let output = "";
  while (output.length < OUTPUT_CHARS_MAX) {
    const request = { sessionId, entryId: entry.entryId, from: output.length, limit: OUTPUT_PIECE_CHARS_MAX };
    const piece = await sessions.output({ type: "session:output", ...request });
    if (!piece || piece.content === "") break;
    output += piece.content;
    if (output.length >= piece.totalChars) break;
  }
  return { entry, output };
}
