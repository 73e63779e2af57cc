import type { AgentEvent } from "../ports/agents.ts";

/** Neighbouring pieces of one text become one piece: a burst costs one fact, not hundreds. */
export function mergeText(events: readonly AgentEvent[]): AgentEvent[] {
  const merged: AgentEvent[] = [];
  let pieces: string[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (event.type === "text" && last?.type === "text" && sameText(event, last)) {
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

type Text = Extract<AgentEvent, { type: "text" }>;

function sameText(one: Text, other: Text): boolean {
  return one.kind === other.kind && one.messageId === other.messageId;
}

function closeLast(merged: AgentEvent[], pieces: readonly string[]): void {
  const last = merged.at(-1);
  if (pieces.length > 0 && last?.type === "text")
    merged[merged.length - 1] = { ...last, text: last.text + pieces.join("") };
}
