import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { isObject } from "../wire/json.ts";

/** One message as the model library takes it; stored as it is, so that a restart forgets nothing. */
export type ModelMessage = Exclude<LanguageModelV3Message, { role: "system" }>;

type Assistant = Extract<ModelMessage, { role: "assistant" }>;
/** What the model said in one step: texts, thoughts and calls. */
export type AssistantPart = Assistant["content"][number];
/** A call of a tool by the model. */
export type ModelCall = Extract<AssistantPart, { type: "tool-call" }>;
/** What a call is answered with. */
export type CallResult = Extract<AssistantPart, { type: "tool-result" }>;

const ROLES = ["user", "assistant", "tool"];

/** Narrows what a session's file holds: written by us, so its shape is checked only as deep as a loop goes. */
export function isModelMessage(value: unknown): value is ModelMessage {
  if (!isObject(value) || !ROLES.includes(String(value["role"]))) return false;
  const { content } = value;
  return Array.isArray(content) && content.every((part) => isObject(part) && typeof part["type"] === "string");
}

/** Files of earlier versions hold pictures as an object around their data. */
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

/** The calls of a message; none for those of the user. */
export function callsIn(message: ModelMessage): ModelCall[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];
}

/** A result in words. */
export function resultOf(call: ModelCall, text: string, isError: boolean): CallResult {
  const { toolCallId, toolName } = call;
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: isError ? { type: "error-text", value: text } : { type: "text", value: text },
  };
}
