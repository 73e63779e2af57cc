import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { isObject } from "../wire/json.ts";

/** One message in the model library's format, stored unchanged. */
export type ModelMessage = Exclude<LanguageModelV3Message, { role: "system" }>;

type Assistant = Extract<ModelMessage, { role: "assistant" }>;
/** The model's output of one step: texts, thoughts and calls. */
export type AssistantPart = Assistant["content"][number];
/** A tool call by the model. */
export type ModelCall = Extract<AssistantPart, { type: "tool-call" }>;
/** The result of a call. */
export type CallResult = Extract<AssistantPart, { type: "tool-result" }>;

const ROLES = ["user", "assistant", "tool"];

/** Checks a message from a session's file: we wrote it, so only the parts that are iterated are checked. */
export function isModelMessage(value: unknown): value is ModelMessage {
  if (!isObject(value) || !ROLES.includes(String(value["role"]))) return false;
  const { content } = value;
  return Array.isArray(content) && content.every((part) => isObject(part) && typeof part["type"] === "string");
}

/** Files of earlier versions store images as an object around their data. */
export function withPlainData(message: ModelMessage): ModelMessage {
  if (message.role !== "user") return message;
  const content = message.content.map((part) => {
    const data: unknown = part.type === "file" ? part.data : undefined;
    return part.type === "file" && isObject(data) && typeof data["data"] === "string"
      ? { ...part, data: data["data"] }
      : part;
  });
  return { ...message, content };
}

/** The calls in a message; none in user messages. */
export function callsIn(message: ModelMessage): ModelCall[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];
}

/** A result as text. */
export function resultOf(call: ModelCall, text: string, isError: boolean): CallResult {
  const { toolCallId, toolName } = call;
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: isError ? { type: "error-text", value: text } : { type: "text", value: text },
  };
}
