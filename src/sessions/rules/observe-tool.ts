import { isDeepStrictEqual } from "node:util";
import type { ToolPatch } from "../../ports/agents.ts";
import type { ToolCallEntry, ToolStatus } from "../../protocol/entry.ts";
import { findToolCall, runningCalls } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { cutAt, extend, growthOf, type ShownText } from "../../protocol/shown-text.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { SessionContext } from "./session-context.ts";

/** A failure's reason repeats its output, which is stored in full elsewhere. */
const ERROR_CHARS_MAX = 16_000;
/** Per turn, at the same time. The end of the turn has to end each of them in one step. */
export const RUNNING_CALLS_MAX = 1_000;

/** Agents announce, patch, resend and forget to finish tool calls; one entry per id has everything known. */
export function observeTool(context: SessionContext, patch: ToolPatch): FactBody[] {
  const open = findToolCall(context.state.open, patch.toolCallId);
  if (open) return changed(open, patch, context, false);
  // Announced in a running turn it is a new call, even with a used id: some agents count from one in every turn.
  const isNew = patch.announced && isTurnActive(context.state.turn) && !patch.subAgent;
  const settled = isNew ? null : context.settledByAgentId(patch.toolCallId);
  if (settled?.type === "tool-call") return changed(settled, patch, context, true);
  // After a load agents repeat how sub-agents ended, also those of conversations that were stored without them.
  if (patch.subAgent && !patch.announced && patch.status !== "running") return [];
  const entry = patched(placeholder(context, patch), patch, context);
  return [...closeOpenText(context, patch.parentToolCallId), ...endOldest(context), { type: "session:update", entry }];
}

/** One call more than may run: the oldest is shown as not finished. A late result for it still counts. */
function endOldest(context: SessionContext): FactBody[] {
  const { count, oldest } = runningCalls(context.state.open);
  if (count < RUNNING_CALLS_MAX || !oldest) return [];
  return [update({ ...oldest, status: "cancelled", unfinished: true, endedAt: context.now }, false)];
}

/** Their agent has ended, and they with it, whatever the outcome of the turn that started them. */
export function endSubAgents(context: SessionContext): FactBody[] {
  return context.state.subAgentCalls.flatMap((toolCallId) => {
    const open = findToolCall(context.state.open, toolCallId);
    const call = open ?? context.settledByAgentId(toolCallId);
    if (call?.type !== "tool-call" || call.status !== "running") return [];
    const error = "The agent stopped before this finished.";
    return [update({ ...call, status: "error", error, endedAt: context.now }, !open)];
  });
}

/** Output of a command is appended to its call as it arrives, also after the call has ended. */
export function observeToolOutput(context: SessionContext, toolCallId: string, text: string): FactBody[] {
  if (text === "") return [];
  const open = findToolCall(context.state.open, toolCallId);
  if (open) return [chunk(open, text)];
  const settled = context.settledByAgentId(toolCallId);
  return settled?.type === "tool-call" ? grownLate(settled, settled, text) : [];
}

function placeholder(context: SessionContext, { toolCallId, parentToolCallId }: ToolPatch): ToolCallEntry {
  const isAtWork = isTurnActive(context.state.turn) || isOfSubAgent(context, parentToolCallId);
  return {
    type: "tool-call",
    entryId: EntryId.parse(context.newId()),
    ...turnOf(context),
    toolCallId,
    name: "Tool call",
    ...(isAtWork ? { status: "running" } : { status: "cancelled", unfinished: true }),
    content: "",
    startedAt: context.now,
  };
}

/** Output that only grew is sent as the new part; if it is too long for the entry, always. */
function changed(before: ToolCallEntry, patch: ToolPatch, context: SessionContext, isLate: boolean): FactBody[] {
  const change = resultChange(before, patch.result);
  const after = patched(before, patch, context);
  if (isDeepStrictEqual(before, after)) return [];
  if (change.kind !== "grown") return [update(after, isLate)];
  if (isLate) return grownLate(before, after, change.by);
  const grown = { ...before, ...resultOf(before, change.by) };
  if (after.parts === undefined && isDeepStrictEqual(grown, after)) return [chunk(before, change.by)];
  return before.truncated ? [chunk(before, change.by), update(after, false)] : [update(after, false)];
}

/** Readers that show the entry let it grow; the late update is for the store and for later readers. */
function grownLate(before: ToolCallEntry, after: ToolCallEntry, text: string): FactBody[] {
  const whole = before.truncated ? resultOf(before, text) : { result: (before.result ?? "") + text };
  const revised = update({ ...after, ...whole }, true);
  return before.truncated ? [chunk(before, text), revised] : [revised];
}

function chunk({ entryId }: ToolCallEntry, content: string): FactBody {
  return { type: "session:chunk", entryId, content, field: "result" };
}

function update(entry: ToolCallEntry, isLate: boolean): FactBody {
  return isLate ? { type: "session:update", entry, late: true } : { type: "session:update", entry };
}

function patched(entry: ToolCallEntry, patch: ToolPatch, context: SessionContext): ToolCallEntry {
  const status = patch.subAgent ? (patch.status ?? entry.status) : nextStatus(entry, patch.status, context);
  const { error: _, result: __, truncated: ___, unfinished, endedAt: ____, ...rest } = entry;
  const text = nextResult(entry, patch.result);
  return {
    ...rest,
    status,
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.kind !== undefined && { kind: patch.kind }),
    ...(patch.input !== undefined && { input: patch.input }),
    ...(patch.output !== undefined && { output: patch.output }),
    ...(patch.locations !== undefined && { locations: [...patch.locations] }),
    ...(patch.parentToolCallId !== undefined && { parentToolCallId: patch.parentToolCallId }),
    ...text,
    ...(patch.parts !== undefined && { parts: [...patch.parts] }),
    ...(status === "error" && { error: errorOf(entry, patch, text.result) }),
    ...(patch.subAgent && { subAgent: { canStop: patch.subAgent.canStop ?? entry.subAgent?.canStop ?? false } }),
    ...endTime(entry, status, context),
    ...(status === "cancelled" && unfinished && { unfinished }),
  };
}

/** A sub-agent may be given more work after it has ended. */
function endTime(entry: ToolCallEntry, status: ToolStatus, { now }: SessionContext): Pick<ToolCallEntry, "endedAt"> {
  if (status === "running") return {};
  const endedAt = entry.status === "running" ? now : entry.endedAt;
  return endedAt === undefined ? {} : { endedAt };
}

function nextResult(entry: ToolCallEntry, result: string | undefined): Pick<ToolCallEntry, "result" | "truncated"> {
  const change = resultChange(entry, result);
  switch (change.kind) {
    case "same":
      return resultOf(entry, "");
    case "replaced":
      return { result: change.text };
    case "grown":
      return entry.truncated ? resultOf(entry, change.by) : { result: (entry.result ?? "") + change.by };
    default:
      return change satisfies never;
  }
}

/** A failure's output is its reason; a patch with neither leaves the reason unchanged. */
function errorOf(entry: ToolCallEntry, patch: ToolPatch, result: string | undefined): string {
  const said = patch.status === "error" || patch.result !== undefined ? result : undefined;
  return cutAt(said || entry.error || "The tool failed without a reason.", ERROR_CHARS_MAX);
}

/**
 * Nothing runs again outside its turn, and a cancelled call stays cancelled, whatever its agent reports later. A
 * sub-agent works on after the turn that began it.
 */
/** A sub-agent works on after the turn that began it. */
function isOfSubAgent({ state }: SessionContext, parentToolCallId: string | undefined): boolean {
  return parentToolCallId !== undefined && state.subAgentCalls.includes(parentToolCallId);
}

function nextStatus(entry: ToolCallEntry, status: ToolPatch["status"], context: SessionContext): ToolStatus {
  if (status === undefined) return entry.status;
  if (entry.status === "cancelled") return entry.unfinished && status === "complete" ? "complete" : "cancelled";
  const ended = !isTurnActive(context.state.turn) || entry.turnId !== context.state.turn.turnId;
  if (status === "running" && ended && !isOfSubAgent(context, entry.parentToolCallId)) return entry.status;
  return status;
}

const ALIKE_CHARS = 1_000;

type ResultChange =
  | { readonly kind: "same" }
  | { readonly kind: "grown"; readonly by: string }
  | { readonly kind: "replaced"; readonly text: string };

/** What a new output means for the known one: agents send it in full each time. */
function resultChange(entry: ToolCallEntry, result: string | undefined): ResultChange {
  if (result === undefined) return { kind: "same" };
  const shown = shownOf(entry);
  const growth = growthOf(shown, result);
  // An existing empty output differs from none.
  if (growth === "" && entry.result !== undefined) return { kind: "same" };
  if (growth !== null) return { kind: "grown", by: growth };
  const isPrinted = shown.text !== "" && (entry.parts?.some(({ type }) => type === "terminal") ?? false);
  if (!isPrinted) return { kind: "replaced", text: result };
  // A command's terminal output stays; the agent's additional text follows it.
  if (shown.text.includes(result) || endsAlike(shown.text, result)) return { kind: "same" };
  return { kind: "grown", by: shown.text.endsWith("\n") ? result : `\n${result}` };
}

/** Agents return their terminal's output, cut from the front. */
function endsAlike(printed: string, result: string): boolean {
  return result.length > ALIKE_CHARS && printed.endsWith(result.slice(-ALIKE_CHARS));
}

/** The entry's output after more of it has arrived. */
function resultOf(entry: ToolCallEntry, more: string): Pick<ToolCallEntry, "result" | "truncated"> {
  if (more === "" && entry.result === undefined) return {};
  const { text, truncated } = more === "" ? shownOf(entry) : extend(shownOf(entry), more);
  return { result: text, ...(truncated && { truncated }) };
}

function shownOf({ result = "", truncated }: ToolCallEntry): ShownText {
  return { text: result, truncated };
}
