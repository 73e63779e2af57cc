import type { ToolPatch } from "../ports/agents.ts";
import type { Part, ToolCallEntry, ToolStatus } from "../protocol/entry.ts";
import type { FactBody } from "../protocol/facts.ts";
import { EntryId } from "../protocol/ids.ts";
import { isTurnActive } from "../protocol/session-state.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { Scene } from "./scene.ts";

/** Tool output kept in the transcript; the middle of a longer one is left out, and the text says so. */
export const RESULT_CHARS_MAX = 1_000_000;
const PARTS_CHARS_MAX = 4_000_000;

/** Agents announce, patch, resend and forget to finish tool calls; one entry per id holds whatever is known. */
export function observeTool(scene: Scene, patch: ToolPatch): FactBody[] {
  const open = scene.state.open.findLast(
    (entry): entry is ToolCallEntry => entry.type === "tool-call" && entry.toolCallId === patch.toolCallId,
  );
  if (open) return growOrReplace(open, patched(open, patch, scene));
  // Announced in a running turn it is a new call, even under an id used before: some agents count from one in every turn.
  const isNew = patch.announced && isTurnActive(scene.state.turn);
  const settled = isNew ? null : scene.settledByAgentId(patch.toolCallId);
  if (settled?.type === "tool-call") {
    const entry = patched(settled, patch, scene);
    return same(entry, settled) ? [] : [{ type: "session:update", entry, late: true }];
  }
  const entry = patched(placeholder(scene, patch.toolCallId), patch, scene);
  return [...closeOpenText(scene), { type: "session:update", entry }];
}

/** Output of a command grows its call as it comes; past the limit the end of it comes with the call's own end. */
export function observeToolOutput(scene: Scene, toolCallId: string, text: string): FactBody[] {
  const open = scene.state.open.findLast(
    (entry): entry is ToolCallEntry => entry.type === "tool-call" && entry.toolCallId === toolCallId,
  );
  if (!open) return [];
  const content = text.slice(0, Math.max(0, RESULT_CHARS_MAX - (open.result?.length ?? 0)));
  return content === "" ? [] : [{ type: "session:chunk", entryId: open.entryId, content, field: "result" }];
}

function placeholder(scene: Scene, toolCallId: string): ToolCallEntry {
  return {
    type: "tool-call",
    entryId: EntryId.parse(scene.newId()),
    ...turnOf(scene),
    toolCallId,
    name: "Tool call",
    status: isTurnActive(scene.state.turn) ? "running" : "cancelled",
    content: "",
    startedAt: scene.now,
  };
}

function patched(entry: ToolCallEntry, patch: ToolPatch, scene: Scene): ToolCallEntry {
  const status = nextStatus(entry, patch.status, scene);
  const result = patch.result === undefined ? entry.result : capText(withOutput(entry, patch.result));
  const parts = patch.parts === undefined ? entry.parts : capParts(patch.parts);
  const { error: _, ...rest } = entry;
  return {
    ...rest,
    status,
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.kind !== undefined && { kind: patch.kind }),
    ...(patch.input !== undefined && { input: patch.input }),
    ...(patch.locations !== undefined && { locations: [...patch.locations] }),
    ...(result !== undefined && { result }),
    ...(parts !== undefined && { parts }),
    ...(status === "error" && { error: errorOf(entry, patch, result) }),
    ...(status !== "running" && entry.status === "running" && { endedAt: scene.now }),
  };
}

/** What a command printed in its terminal stays; words the agent has to add come after it. */
function withOutput(entry: ToolCallEntry, result: string): string {
  const printed = entry.result ?? "";
  const inTerminal = entry.parts?.some(({ type }) => type === "terminal") ?? false;
  if (!inTerminal || printed === "" || result.startsWith(printed)) return result;
  return printed.includes(result) ? printed : `${printed.replace(/\n$/, "")}\n${result}`;
}

/** A failure's output is its reason; a patch that brings neither leaves the reason as it was. */
function errorOf(entry: ToolCallEntry, patch: ToolPatch, result: string | undefined): string {
  const said = patch.status === "error" || patch.result !== undefined ? result : undefined;
  return said || entry.error || "The tool reported a failure without saying why.";
}

/** Nothing starts to spin again outside its turn, and a cancelled call is only changed by its success. */
function nextStatus(entry: ToolCallEntry, status: ToolPatch["status"], scene: Scene): ToolStatus {
  if (status === undefined) return entry.status;
  if (entry.status === "cancelled") return status === "complete" ? "complete" : "cancelled";
  const ended = !isTurnActive(scene.state.turn) || entry.turnId !== scene.state.turn.turnId;
  if (status === "running" && ended) return entry.status;
  return status;
}

/** Output that only grew travels as the part that is new. */
function growOrReplace(before: ToolCallEntry, after: ToolCallEntry): FactBody[] {
  if (same(before, after)) return [];
  const old = before.result ?? "";
  const grown = after.result !== undefined && after.result.length > old.length && after.result.startsWith(old);
  const onlyGrown =
    grown && same({ ...before, result: after.result, parts: after.parts }, after) && !hasRichParts(after);
  if (!onlyGrown) return [{ type: "session:update", entry: after }];
  return [
    {
      type: "session:chunk",
      entryId: before.entryId,
      content: (after.result ?? "").slice(old.length),
      field: "result",
    },
  ];
}

function hasRichParts(entry: ToolCallEntry): boolean {
  return entry.parts !== undefined;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function capText(text: string): string {
  if (text.length <= RESULT_CHARS_MAX) return text;
  const half = RESULT_CHARS_MAX / 2;
  return `${text.slice(0, half)}\n[… ${text.length - RESULT_CHARS_MAX} characters left out …]\n${text.slice(-half)}`;
}

function capParts(parts: readonly Part[]): Part[] {
  let chars = 0;
  return parts.map((part) => {
    chars += JSON.stringify(part).length;
    return chars <= PARTS_CHARS_MAX ? part : { type: "text", text: "[left out: too large to keep]" };
  });
}
