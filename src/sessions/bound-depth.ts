import { isNestedDeeper, JSON_LEVELS_MAX } from "../lib/nesting.ts";
import type { AgentEvent, ToolPatch } from "../ports/agents.ts";
import type { Part } from "../protocol/entry.ts";
import type { Json } from "../protocol/json.ts";

const LEFT_OUT = `[left out: nested more than ${JSON_LEVELS_MAX} levels deep]`;
/** An event wraps the agent's data in a few objects of ours. */
const WRAPPING_LEVELS = 5;

/** Limits the nesting of free-form agent data, so that it can always be stored and read. */
export function boundDepth(event: AgentEvent): AgentEvent {
  if (event.type === "text" || !isNestedDeeper(event, JSON_LEVELS_MAX + WRAPPING_LEVELS)) return event;
  switch (event.type) {
    case "tool":
    case "permission-requested":
      return { ...event, patch: boundPatch(event.patch) };
    case "part":
      return { ...event, part: boundPart(event.part) };
    case "unknown":
      return { ...event, update: boundJson(event.update) };
    default:
      return event;
  }
}

function boundPatch({ input, output, parts, ...rest }: ToolPatch): ToolPatch {
  return {
    ...rest,
    ...(input !== undefined && { input: boundJson(input) }),
    ...(output !== undefined && { output: boundJson(output) }),
    ...(parts !== undefined && { parts: parts.map(boundPart) }),
  };
}

function boundPart(part: Part): Part {
  return part.type === "unknown" ? { type: "unknown", raw: boundJson(part.raw) } : part;
}

function boundJson(value: Json): Json {
  return isNestedDeeper(value) ? LEFT_OUT : value;
}
