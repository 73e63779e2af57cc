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

/** A failure's reason repeats its output, which is kept whole elsewhere. */
const ERROR_CHARS_MAX = 16_000;
/** Of one turn, at once. The end of the turn has to end each of them in one step. */
export const RUNNING_CALLS_MAX = 1_000;

/** Agents announce, patch, resend and forget to finish tool calls; one entry per id holds whatever is known. */
export function observeTool(context: SessionContext, patch: ToolPatch): FactBody[] {
  const open = findToolCall(context.state.open, patch.toolCallId);
  if (open) return changed(open, patch, context, false);
  // Announced in a running turn it is a new call, even under an id used before: some agents count from one in every turn.
  const isNew = patch.announced && isTurnActive(context.state.turn);
  const settled = isNew ? null : context.settledByAgentId(patch.toolCallId);
  if (settled?.type === "tool-call") return changed(settled, patch, context, true);
  const entry = patched(placeholder(context, patch.toolCallId), patch, context);
  return [...closeOpenText(context), ...endOldest(context), { type: "session:update", entry }];
}

/** One call more than may run: the oldest is shown as not finished. A result that comes for it later still counts. */
function endOldest(context: SessionContext): FactBody[] {
  const { count, oldest } = runningCalls(context.state.open);
  if (count < RUNNING_CALLS_MAX || !oldest) return [];
  return [update({ ...oldest, status: "cancelled", unfinished: true, endedAt: context.now }, false)];
}

/** Output of a command grows its call as it comes, also when the call has ended meanwhile. */
export function observeToolOutput(context: SessionContext, toolCallId: string, text: string): FactBody[] {
  if (text === "") return [];
  const open = findToolCall(context.state.open, toolCallId);
  if (open) return [chunk(open, text)];
  const settled = context.settledByAgentId(toolCallId);
  return settled?.type === "tool-call" ? grownLate(settled, settled, text) : [];
}

function placeholder(context: SessionContext, toolCallId: string): ToolCallEntry {
  return {
    type: "tool-call",
    entryId: EntryId.parse(context.newId()),
    ...turnOf(context),
    toolCallId,
    name: "Tool call",
    ...(isTurnActive(context.state.turn) ? { status: "running" } : { status: "cancelled", unfinished: true }),
    content: "",
    startedAt: context.now,
  };
}

/** Output that only grew travels as the part that is new; once it is too long to stand in the entry, always. */
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

/** Readers with the entry in view let it grow; the late update is for the store and for those that come. */
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
  const status = nextStatus(entry, patch.status, context);
  const { error: _, result: __, truncated: ___, unfinished, ...rest } = entry;
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
    ...(status !== "running" && entry.status === "running" && { endedAt: context.now }),
    ...(status === "cancelled" && unfinished && { unfinished }),
  };
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

/** A failure's output is its reason; a patch that brings neither leaves the reason as it was. */
function errorOf(entry: ToolCallEntry, patch: ToolPatch, result: string | undefined): string {
  const said = patch.status === "error" || patch.result !== undefined ? result : undefined;
  return cutAt(said || entry.error || "The tool failed without a reason.", ERROR_CHARS_MAX);
}

/** Nothing starts to spin again outside its turn, and what was cancelled stays so, whatever its agent calls it later. */
function nextStatus(entry: ToolCallEntry, status: ToolPatch["status"], context: SessionContext): ToolStatus {
  if (status === undefined) return entry.status;
  if (entry.status === "cancelled") return entry.unfinished && status === "complete" ? "complete" : "cancelled";
  const ended = !isTurnActive(context.state.turn) || entry.turnId !== context.state.turn.turnId;
  if (status === "running" && ended) return entry.status;
  return status;
}

const ALIKE_CHARS = 1_000;

type ResultChange =
  | { readonly kind: "same" }
  | { readonly kind: "grown"; readonly by: string }
  | { readonly kind: "replaced"; readonly text: string };

/** What a newly given output means for the one that is known: agents send it whole each time. */
function resultChange(entry: ToolCallEntry, result: string | undefined): ResultChange {
  if (result === undefined) return { kind: "same" };
  const shown = shownOf(entry);
  const growth = growthOf(shown, result);
  // An output that is there and empty is more than none.
  if (growth === "" && entry.result !== undefined) return { kind: "same" };
  if (growth !== null) return { kind: "grown", by: growth };
  const isPrinted = shown.text !== "" && (entry.parts?.some(({ type }) => type === "terminal") ?? false);
  if (!isPrinted) return { kind: "replaced", text: result };
  // What a command printed in its terminal stays; words the agent has to add come after it.
  if (shown.text.includes(result) || endsAlike(shown.text, result)) return { kind: "same" };
  return { kind: "grown", by: shown.text.endsWith("\n") ? result : `\n${result}` };
}

/** Agents give back what their terminal printed, cut from the front as they like. */
function endsAlike(printed: string, result: string): boolean {
  return result.length > ALIKE_CHARS && printed.endsWith(result.slice(-ALIKE_CHARS));
}

/** The entry's output after more of it has come. */
function resultOf(entry: ToolCallEntry, more: string): Pick<ToolCallEntry, "result" | "truncated"> {
  if (more === "" && entry.result === undefined) return {};
  const { text, truncated } = more === "" ? shownOf(entry) : extend(shownOf(entry), more);
  return { result: text, ...(truncated && { truncated }) };
}

function shownOf({ result = "", truncated }: ToolCallEntry): ShownText {
  return { text: result, truncated };
}
