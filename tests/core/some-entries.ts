import type { AssistantEntry, Entry, ToolCallEntry, UserEntry } from "../../src/protocol/entry.ts";
import { entryId, NOW } from "./names.ts";

export function userEntry(id: string, extra: Partial<UserEntry> = {}): UserEntry {
  return { type: "user", entryId: entryId(id), content: `said ${id}`, timestamp: NOW, ...extra };
}

export function assistantEntry(id: string, extra: Partial<AssistantEntry> = {}): AssistantEntry {
  return { type: "assistant", entryId: entryId(id), content: `told ${id}`, timestamp: NOW, ...extra };
}

export function toolEntry(id: string, extra: Partial<ToolCallEntry> = {}): ToolCallEntry {
  return {
    type: "tool-call",
    entryId: entryId(id),
    toolCallId: `call-${id}`,
    name: "Read",
    status: "running",
    content: "",
    ...extra,
  };
}

export function idsOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.entryId);
}
