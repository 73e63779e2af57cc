import { objectAt, stringAt } from "../wire/json.ts";
import type { StoredUpdate } from "./session-record.ts";

/** A history as an agent shows it that leaks its own bookkeeping: no ids, calls and results as words, a context nobody typed. */
export function leakyReplay(updates: readonly StoredUpdate[]): StoredUpdate[] {
  const context = words("user_message_chunk", "<session_context>\nThe context of our chat.\n</session_context>");
  return [context, ...updates.flatMap(leaked)];
}

function leaked(update: StoredUpdate): StoredUpdate[] {
  if (update.sessionUpdate === "tool_call") {
    const name = stringAt(update, "title") ?? "tool";
    return [
      words("agent_message_chunk", `[Function Call: ${name}]`),
      words("user_message_chunk", `[Function Response: ${name}]`),
    ];
  }
  const text = stringAt(objectAt(update, "content"), "text");
  if (text === undefined) return [];
  const mark = update.sessionUpdate === "agent_message_chunk" ? "[Thought: true]" : "";
  return [words(update.sessionUpdate, mark + text)];
}

function words(sessionUpdate: string, text: string): StoredUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}
