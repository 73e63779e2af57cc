import { z } from "zod";
import type { ChangesScope, FilePatch } from "../../protocol/changes.ts";
import type { SessionId } from "../../protocol/ids.ts";
import { type UnifiedLine, unifiedLines } from "../../protocol/unified-hunks.ts";
import { shorten } from "../child-info.ts";
import { OverlapsOutput, overlapsIn } from "../overlaps.ts";
import { AgentIdInput, defineTool, type ToolContext } from "../tool.ts";
import { accepted, refusedBy, ToolError } from "../tool-error.ts";

const FILES_MAX = 500;
const FILES_DEFAULT = 100;
const PATCH_CHARS_MAX = 60_000;
const PATH_CHARS_MAX = 4_096;

const Changed = z.looseObject({
  path: z.string(),
  status: z.string(),
  added: z.int().nullable(),
  removed: z.int().nullable(),
});

export const getAgentChanges = defineTool({
  name: "get_agent_changes",
  title: "Get an agent's changes",
  needs: "look",
  description:
    "The files that changed while one of your agents worked, with the number of lines, whoever changed them: its tools " +
    "or its shell. By default of its last turn that changed files; with a path, also the patch of that file. " +
    "For an agent in a worktree of its own, overlaps names files that work elsewhere changed, too: other worktrees, or " +
    "the branch it was made from. conflict: merging both would conflict. Without overlaps: radar says whether it is " +
    "clean or not known yet.",
  input: {
    agentId: AgentIdInput,
    scope: z
      .enum(["turn", "unreviewed", "base"])
      .optional()
      .describe(
        "turn (default): of its last turn that changed files. unreviewed: what the user has not reviewed in its directory. base: since the last commit.",
      ),
    path: z
      .string()
      .min(1)
      .max(PATH_CHARS_MAX)
      .optional()
      .describe("A path from files: also returns the patch of this file."),
    limit: z.int().min(1).max(FILES_MAX).optional().describe(`Files in one result. Default: ${FILES_DEFAULT}.`),
    cursor: z.string().max(20).optional().describe("The nextCursor of an earlier result: returns the files after it."),
  },
  output: {
    agentId: z.string(),
    files: z.array(Changed),
    total: z.int(),
    added: z.int(),
    removed: z.int(),
    nextCursor: z.string().optional(),
    patch: z.string().optional(),
    radar: z.enum(["unknown", "clean", "overlap"]).optional(),
    overlaps: OverlapsOutput,
  },
  readOnly: true,
  run: async (context, { agentId, scope = "turn", path, limit = FILES_DEFAULT, cursor = "0" }) => {
    const { row } = await context.children.find(agentId);
    if (!/^\d+$/.test(cursor)) throw new ToolError("cursor: pass the nextCursor of an earlier result, or omit it.");
    const found = await changesOf(context, row.id, scope);
    const radar = await radarOf(context, row.id);
    if (found === null) return { agentId, files: [], total: 0, added: 0, removed: 0, ...radar };
    const { state, counts } = found;
    const end = Number(cursor) + limit;
    const files = state.files.slice(Number(cursor), end);
    return {
      agentId,
      files: files.map(({ path: name, status, added, removed }) => ({ path: name, status, added, removed })),
      total: state.total,
      added: counts.added,
      removed: counts.removed,
      ...(end < state.files.length && { nextCursor: String(end) }),
      ...(path !== undefined && { patch: await patchOf(context, row.id, state.scope, path) }),
      ...radar,
    };
  },
});

/** Nothing for an agent in the project's own directory. */
async function radarOf({ worktrees }: ToolContext, sessionId: SessionId) {
  const found = await worktrees.radarOf(sessionId);
  if (found === null) return {};
  return { radar: found.state, ...overlapsIn(found) };
}

/** Null when no turn of the agent changed a file. */
async function changesOf({ changes }: ToolContext, sessionId: SessionId, kind: ChangesScope["kind"]) {
  const read = async (scope: ChangesScope) => {
    const found = await changes.stateOf(sessionId, scope);
    if (found.kind === "refused") throw refusedBy(found.refusal);
    return found.message;
  };
  const all = await read({ kind: kind === "base" ? "base" : "unreviewed" });
  if (kind !== "turn") return { state: all, counts: all.counts[kind] };
  const { lastTurnId, counts } = all;
  if (lastTurnId === null || counts.turn === null) return null;
  return { state: await read({ kind: "turn", turnId: lastTurnId }), counts: counts.turn };
}

async function patchOf(
  { changes }: ToolContext,
  sessionId: SessionId,
  scope: ChangesScope,
  path: string,
): Promise<string> {
  const answer = accepted(await changes.answer({ type: "changes:patch", sessionId, scope, path }));
  if (answer.kind !== "message" || answer.message.type !== "changes:patch")
    throw new ToolError("path: this file did not change. Use a path from files.");
  return shorten(textOf(answer.message.patch), PATCH_CHARS_MAX);
}

function textOf(patch: FilePatch): string {
  switch (patch.kind) {
    case "text":
      return [...unifiedLines(patch.hunks)].map(lineText).join("");
    case "too-large":
      return `Too large to show: ${patch.lines} lines, ${patch.bytes} bytes. Read the file instead.`;
    case "binary":
    case "link":
    case "mode":
      return patch.words;
    default:
      return patch satisfies never;
  }
}

function lineText(line: UnifiedLine): string {
  switch (line.kind) {
    case "range":
      return `@@ ${line.text} @@${line.heading === null ? "" : ` ${line.heading}`}\n`;
    case "no-end":
      return "\\ No newline at end of file\n";
    case "same":
      return ` ${line.text}\n`;
    case "old":
      return `-${line.text}\n`;
    case "new":
      return `+${line.text}\n`;
    default:
      return line satisfies never;
  }
}
