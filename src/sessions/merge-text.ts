import type { AgentEvent } from "../ports/agents.ts";
import type { Observed } from "./rules/session-context.ts";

type Grown = Extract<AgentEvent, { type: "text" | "tool-output" }>;

/** Merges adjacent pieces of one text: a burst costs one fact, not hundreds. */
export function mergeText(events: readonly Observed[]): Observed[] {
  const merged: Observed[] = [];
  let pieces: string[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (isGrown(event) && last && isGrown(last) && sameText(event, last)) {
      pieces.push(event.text);
      continue;
    }
    closeLast(merged, pieces);
    pieces = [];
    merged.push(event);
  }
  closeLast(merged, pieces);
  return merged;
}

function isGrown(event: Observed): event is Grown {
  return event.type === "text" || event.type === "tool-output";
}

function sameText(one: Grown, other: Grown): boolean {
  if (one.type === "text" && other.type === "text")
    return (
      one.kind === other.kind && one.messageId === other.messageId && one.parentToolCallId === other.parentToolCallId
    );
  return one.type === "tool-output" && other.type === "tool-output" && one.toolCallId === other.toolCallId;
}

function closeLast(merged: Observed[], pieces: readonly string[]): void {
  const last = merged.at(-1);
  if (pieces.length > 0 && last && isGrown(last))
    merged[merged.length - 1] = { ...last, text: last.text + pieces.join("") };
}
