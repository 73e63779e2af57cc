import type { ToolPatch } from "../../../ports/agents.ts";
import type { Part, ToolLocation } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import { asArray, asNumber, asObject, asShortString, asString, type JsonObject } from "../read-json.ts";
import { translateContent } from "./translate-content.ts";

const RAW_OUTPUT_CHARS_MAX = 16_000;
/** Titles contain whole command lines. The rest stays in the wire log, because every open call is kept in memory. */
const NAME_CHARS_MAX = 16_000;
const KIND_CHARS_MAX = 200;

/** `tool_call`, `tool_call_update` and the tool call inside a permission request have one shape: a patch. */
export function translateTool(call: JsonObject, announced: boolean): ToolPatch | null {
  const toolCallId = asString(call["toolCallId"]);
  if (toolCallId === undefined) return null;
  // The tool's own name replaces a missing title, but never the title of an announced call.
  const name =
    asShortString(call["title"], NAME_CHARS_MAX) ||
    (announced ? asShortString(call["name"], NAME_CHARS_MAX) : undefined);
  const kind = asShortString(call["kind"], KIND_CHARS_MAX);
  const status = translateStatus(call["status"]);
  const content = asArray(call["content"]);
  const parts = content?.flatMap((item) => translateToolContent(item) ?? []);
  const result = resultText(parts, call["rawOutput"]);
  const locations = asArray(call["locations"])?.flatMap((item) => translateLocation(item) ?? []);
  const rich = parts?.filter((part) => part.type !== "text" && !isOwnTerminal(part, toolCallId));
  const input = call["rawInput"];
  const output = rawOutput(call["rawOutput"], result);
  const parentToolCallId = parentOf(call);
  return {
    toolCallId,
    announced,
    ...(name !== undefined && { name }),
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(result !== undefined && { result }),
    ...(rich !== undefined && rich.length > 0 && { parts: rich }),
    ...(input !== undefined && input !== null && { input }),
    ...(output !== undefined && { output }),
    ...(locations !== undefined && { locations }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  };
}

/** The parent tool call of a sub-agent's message or call. */
export function parentOf(update: JsonObject): string | undefined {
  const meta = asObject(update["_meta"]);
  return asString(asObject(meta?.["claudeCode"])?.["parentToolUseId"]) || asString(meta?.["parentToolCallId"]);
}

/** Raw output beyond the text. If it is long, it duplicates content that the text already has. */
function rawOutput(raw: Json | undefined, result: string | undefined): Json | undefined {
  const output = asObject(raw);
  if (!output || result === undefined) return undefined;
  const said = Object.entries(output).filter(
    ([, value]) => value !== undefined && value !== null && !(typeof value === "string" && isContained(value, result)),
  );
  const rest = Object.fromEntries(said) as { [key: string]: Json };
  const json = JSON.stringify(rest);
  return said.length === 0 || json.length > RAW_OUTPUT_CHARS_MAX || isContained(JSON.stringify(raw, null, 2), result)
    ? undefined
    : rest;
}

function isContained(value: string, result: string): boolean {
  return result.includes(value.trim());
}

/** A terminal of the agent's own, named after the call: its output arrives as the call's output. */
function isOwnTerminal(part: Part, toolCallId: string): boolean {
  return part.type === "terminal" && part.terminalId === toolCallId;
}

function translateStatus(status: Json | undefined): ToolPatch["status"] {
  switch (status) {
    case "pending":
    case "in_progress":
      return "running";
    case "completed":
      return "complete";
    case "failed":
      return "error";
    default:
      return undefined;
  }
}

function translateToolContent(item: Json): Part | null {
  const content = asObject(item);
  if (!content) return null;
  switch (content["type"]) {
    case "content":
      return translateContent(content["content"]);
    case "diff": {
      const path = asString(content["path"]);
      const newText = asString(content["newText"]);
      if (path === undefined || newText === undefined) return { type: "unknown", raw: item };
      return { type: "diff", path, oldText: asString(content["oldText"]) ?? null, newText };
    }
    case "terminal": {
      const terminalId = asString(content["terminalId"]);
      return terminalId === undefined ? { type: "unknown", raw: item } : { type: "terminal", terminalId };
    }
    default:
      // Some agents omit the wrapper and send the block itself.
      return translateContent(item);
  }
}

/** The output as text: the content if present, otherwise the raw output. */
function resultText(parts: readonly Part[] | undefined, rawOutput: Json | undefined): string | undefined {
  const texts = parts?.flatMap((part) => (part.type === "text" ? [unfenced(part.text)] : []));
  if (texts && texts.length > 0) return texts.join("\n");
  if (rawOutput === undefined || rawOutput === null) return undefined;
  if (typeof rawOutput === "string") return rawOutput;
  // A diff is complete; its raw form would repeat it.
  if (parts?.some((part) => part.type === "diff")) return undefined;
  const output = asObject(rawOutput);
  return (
    asString(output?.["output"]) ??
    asString(output?.["stdout"]) ??
    asString(output?.["formatted_output"]) ??
    asString(output?.["content"]) ??
    asString(output?.["message"]) ??
    JSON.stringify(rawOutput, null, 2)
  );
}

/** Longer than real fences: a fence is compared at every position of the output, so a long one would block the server. */
const FENCE_CHARS_MAX = 32;
const FENCE_LINE = new RegExp(`^(\`{3,${FENCE_CHARS_MAX}})[^\\n\`]*\\n`);

/** Output in a Markdown code block is shown as plain text, so the fence is removed. */
function unfenced(text: string): string {
  const [opening, fence] = FENCE_LINE.exec(text) ?? [];
  if (opening === undefined || fence === undefined) return text;
  const rest = text.slice(opening.length).trimEnd();
  const inside = rest.slice(0, -fence.length).replace(/\n$/, "");
  return !rest.endsWith(fence) || inside.includes(fence) ? text : inside;
}

function translateLocation(item: Json): ToolLocation | null {
  const location = asObject(item);
  const path = asString(location?.["path"]);
  if (path === undefined) return null;
  const line = asNumber(location?.["line"]);
  return line === undefined ? { path } : { path, line };
}
