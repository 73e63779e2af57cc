import { isObject, type JsonObject, objectAt, stringAt } from "../wire/json.ts";
import type { SessionRecord, StoredUpdate } from "./session-record.ts";

/** The history as a client should see it: complete messages, each tool call once and in its last state. */
export function replay(records: readonly SessionRecord[]): StoredUpdate[] {
  const updates: StoredUpdate[] = [];
  const toolAt = new Map<string, number>();
  for (const record of records) {
    if (record.type === "user") {
      for (const content of record.content) {
        updates.push({ sessionUpdate: "user_message_chunk", messageId: record.messageId, content });
      }
    } else if (record.type === "update") {
      addUpdate(updates, toolAt, record.update);
    }
  }
  return updates.map(settleToolCall);
}

function addUpdate(updates: StoredUpdate[], toolAt: Map<string, number>, update: StoredUpdate): void {
  const last = updates.at(-1);
  const joined = last && joinText(last, update);
  if (joined) {
    updates[updates.length - 1] = joined;
    return;
  }
  const toolCallId = stringAt(update, "toolCallId") ?? "";
  const index = update.sessionUpdate.startsWith("tool_call") ? toolAt.get(toolCallId) : undefined;
  const known = index === undefined ? undefined : updates[index];
  if (known && index !== undefined) {
    updates[index] = { ...known, ...update, sessionUpdate: "tool_call" };
    return;
  }
  if (update.sessionUpdate === "tool_call") toolAt.set(toolCallId, updates.length);
  updates.push(update);
}

/** Joins two chunks of one message. */
function joinText(last: StoredUpdate, next: StoredUpdate): StoredUpdate | undefined {
  if (last.sessionUpdate !== next.sessionUpdate || last["messageId"] !== next["messageId"]) return undefined;
  const before = textOf(last);
  const after = textOf(next);
  if (before === undefined || after === undefined) return undefined;
  return { ...last, content: { type: "text", text: before + after } };
}

function textOf(update: StoredUpdate): string | undefined {
  const content = objectAt(update, "content");
  return content["type"] === "text" ? stringAt(content, "text") : undefined;
}

/** A call that was running when the process died has failed; a terminal that no longer exists is shown as text. */
function settleToolCall(update: StoredUpdate): StoredUpdate {
  if (update.sessionUpdate !== "tool_call") return update;
  const status = update["status"] === "completed" ? "completed" : "failed";
  const { content } = update;
  if (!Array.isArray(content)) return { ...update, status };
  const output = stringAt(objectAt(update, "rawOutput"), "output") ?? "";
  return { ...update, status, content: content.map((item: unknown) => withoutTerminal(item, output)) };
}

function withoutTerminal(item: unknown, output: string): unknown {
  const isTerminal = isObject(item) && item["type"] === "terminal";
  const text: JsonObject = { type: "content", content: { type: "text", text: output } };
  return isTerminal ? text : item;
}

/** The history of an agent that leaks its own bookkeeping: no ids, calls and results as text, a context nobody typed. */
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
