import type { Entry } from "../../protocol/entry.ts";

/** An entry and what sub-agents said and did on its behalf, in the order it came. */
export interface NestedEntry {
  readonly entry: Entry;
  readonly children: NestedEntry[];
}

/** Entries under the tool calls they belong to; one whose call is not here stands for itself. */
export function nestEntries(entries: readonly Entry[]): NestedEntry[] {
  const calls = new Map<string, NestedEntry>();
  const top: NestedEntry[] = [];
  for (const entry of entries) {
    const nested: NestedEntry = { entry, children: [] };
    const parent = entry.parentToolCallId === undefined ? undefined : calls.get(entry.parentToolCallId);
    (parent?.children ?? top).push(nested);
    if (entry.type === "tool-call") calls.set(entry.toolCallId, nested);
  }
  return top;
}
