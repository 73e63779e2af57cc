import type { ToolCallEntry } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";

export const TOOL_STATUS_WORDS: Readonly<Record<ToolCallEntry["status"], string>> = {
  running: "still running",
  complete: "done",
  error: "failed",
  cancelled: "cancelled",
};

/** What a tool was given: one that is only a command reads as that. */
export function inputText(input: Json): string {
  if (typeof input === "string") return input;
  return JSON.stringify(input, null, 2);
}

/** 2026-03-01T12:00:00.000Z reads as 2026-03-01 12:00 UTC. */
export function timeText(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
