import type { SessionLog, StoredSession } from "../../ports/session-log.ts";
import type { ChildSummary } from "../../protocol/children.ts";
import type { Entry, ToolCallEntry } from "../../protocol/entry.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { runningTool } from "../inbox-items.ts";
import type { Delegations } from "./delegations.ts";

/** Changed files are counted among this many of a child's newest entries. */
const ENTRIES_READ_MAX = 300;
const LINE_CHARS_MAX = 200;

interface SummaryDeps {
  readonly delegations: Delegations;
  readonly log: Pick<SessionLog, "page">;
  readonly view: (sessionId: SessionId) => Promise<Omit<StoredSession, "continuation"> | null>;
}

/** The state of the agents that a session started, oldest first, without deleted ones. */
export async function summarizeChildren(
  { delegations, log, view }: SummaryDeps,
  parentId: SessionId,
): Promise<ChildSummary[]> {
  const summarize = async (sessionId: SessionId): Promise<ChildSummary[]> => {
    const child = await view(sessionId);
    if (!child) return [];
    const { state, binding, row } = child;
    const page = await log.page(sessionId, null, ENTRIES_READ_MAX);
    const entries = [...(page?.entries ?? []), ...state.settled, ...state.open];
    const [asks] = state.pending;
    const tool = runningTool(state.open);
    const lastLine = lastLineOf(entries);
    return [
      {
        sessionId,
        ...(asks && { asks }),
        ...(tool && { tool }),
        ...(lastLine !== "" && { lastLine }),
        filesChanged: changedFiles(entries).size,
        ended: binding.state === "closed" || row.archived,
        ...(await delegations.spending(sessionId)),
      },
    ];
  };
  return (await Promise.all((await delegations.childrenOf(parentId)).map(summarize))).flat();
}

/** `*so*` and `_so_`; not the sign of a product, nor a part of a name. */
const EMPHASIS = /(?<![\p{L}\p{N}*_])([*_])(?=\S)([^*_]*\S)\1(?![\p{L}\p{N}*_])/gu;
const LINK = /\[([^[\]]*)\]\([^()\s]*\)/g;

/** The end of its last message without Markdown: that is where results are. */
export function lastLineOf(entries: readonly Entry[]): string {
  const said = entries.findLast((entry) => entry.type === "assistant" && entry.parentToolCallId === undefined);
  const lines = (said?.content ?? "").split("\n");
  const last = lines.findLast((line) => /[\p{L}\p{N}]/u.test(line) && !line.trimStart().startsWith("```")) ?? "";
  return last
    .trim()
    .replace(/^(?:#{1,6}|>|[-*+]) /, "")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(EMPHASIS, "$2")
    .replaceAll(LINK, "$1")
    .slice(0, LINE_CHARS_MAX);
}

/** From the diffs of its calls, or, if an agent sends none, from the locations of its edits. */
function changedFiles(entries: readonly Entry[]): ReadonlySet<string> {
  const edits = entries.filter((entry) => entry.type === "tool-call" && entry.status === "complete");
  return new Set(edits.flatMap((entry) => (entry.type === "tool-call" ? pathsChangedBy(entry) : [])));
}

function pathsChangedBy({ kind, parts = [], locations = [] }: ToolCallEntry): readonly string[] {
  const diffs = parts.flatMap((part) => (part.type === "diff" ? [part.path] : []));
  if (diffs.length > 0) return diffs;
  return kind === "edit" || kind === "delete" || kind === "move" ? locations.map(({ path }) => path) : [];
}
