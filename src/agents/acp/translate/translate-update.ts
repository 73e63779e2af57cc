import type { AgentEvent, CompactionPatch } from "../../../ports/agents.ts";
import type { NoticeSeverity, PlanItem } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import { asArray, asObject, asShortString, asString, type JsonObject } from "../read-json.ts";
import { translateCommands, translateOptions, translateUsage } from "./translate-config.ts";
import { translateContent } from "./translate-content.ts";
import { parentOf, translateTool } from "./translate-tool.ts";
import { tokensOf } from "./translate-turn.ts";

/** Of what an agent calls its session; only the beginning of this is shown. */
const SESSION_TITLE_CHARS_MAX = 2_000;

/** One ACP v1 `session/update` in our words. Pure and tolerant: what cannot be read is kept as `unknown`. */
export function translateUpdate(update: Json): AgentEvent[] {
  const body = asObject(update);
  if (!body) return [{ type: "unknown", update }];
  switch (body["sessionUpdate"]) {
    case "agent_message_chunk":
      return translateChunk("assistant", body, update);
    case "agent_thought_chunk":
      return translateChunk("thinking", body, update);
    case "user_message_chunk":
      return translateChunk("user", body, update);
    case "tool_call":
      return translateToolCall(body, true, update);
    case "tool_call_update":
      return translateToolCall(body, false, update);
    case "plan": {
      const items = translatePlan(body["entries"]);
      return items ? [{ type: "plan", items }] : [{ type: "unknown", update }];
    }
    case "available_commands_update": {
      const commands = translateCommands(body["availableCommands"]);
      return commands ? [{ type: "commands", commands }] : [{ type: "unknown", update }];
    }
    case "config_option_update": {
      const options = translateOptions(body["configOptions"]);
      return options ? [{ type: "options", options }] : [{ type: "unknown", update }];
    }
    case "current_mode_update": {
      const value = asString(body["currentModeId"]) ?? asString(body["modeId"]);
      return value === undefined ? [{ type: "unknown", update }] : [{ type: "option-chosen", category: "mode", value }];
    }
    case "session_info_update": {
      const title = asShortString(body["title"], SESSION_TITLE_CHARS_MAX);
      return title === undefined ? [] : [{ type: "title", title }];
    }
    case "usage_update": {
      const usage = translateUsage(body);
      return usage ? [{ type: "usage", usage }] : [{ type: "unknown", update }];
    }
    case "notice":
      return [{ type: "notice", severity: severityOf(body["severity"]), content: noticeText(body) }];
    case "compaction_update":
    case "compaction_summary_chunk":
      return translateCompaction(body, update);
    default:
      return [{ type: "unknown", update }];
  }
}

function translateChunk(kind: "assistant" | "thinking" | "user", body: JsonObject, update: Json): AgentEvent[] {
  const part = translateContent(body["content"]);
  if (!part) return [{ type: "unknown", update }];
  const parentToolCallId = parentOf(body);
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId };
  if (part.type !== "text") return [{ type: "part", kind, part, ...parent }];
  const messageId = asString(body["messageId"]);
  const event: AgentEvent = {
    ...{ type: "text", kind, text: part.text, ...(messageId !== undefined && { messageId }), ...parent },
  };
  // Qwen counts each question to its model in an empty chunk.
  const callTokens = tokensOf(asObject(body["_meta"])?.["usage"]);
  return callTokens === undefined ? [event] : [event, { type: "usage", usage: { callTokens } }];
}

/** Its state, its summary as a whole, or one more piece of that. */
function translateCompaction(body: JsonObject, update: Json): AgentEvent[] {
  const compactionId = asString(body["compactionId"]);
  if (compactionId === undefined) return [{ type: "unknown", update }];
  const status = compactionStatus(body["status"]);
  const summary = asArray(body["summary"])?.map(contentText).join("") ?? asString(body["summary"]);
  const more = body["content"] === undefined ? undefined : contentText(body["content"]);
  const error = asString(body["error"]) ?? asString(asObject(body["error"])?.["message"]);
  const patch: CompactionPatch = {
    compactionId,
    ...(status !== undefined && { status }),
    ...(summary !== undefined && { summary }),
    ...(more !== undefined && { more }),
    ...(error !== undefined && { error }),
  };
  return [{ type: "compaction", patch }];
}

function compactionStatus(status: Json | undefined): CompactionPatch["status"] {
  switch (status) {
    case "in_progress":
    case "completed":
    case "failed":
    case "cancelled":
      return status;
    default:
      return undefined;
  }
}

/** A summary is words; what else it might hold is named. */
function contentText(block: Json): string {
  const part = translateContent(block);
  return part?.type === "text" ? part.text : part ? `[${part.type}]` : "";
}

function translateToolCall(body: JsonObject, announced: boolean, update: Json): AgentEvent[] {
  const patch = translateTool(body, announced);
  return patch ? [{ type: "tool", patch }] : [{ type: "unknown", update }];
}

function translatePlan(entries: Json | undefined): PlanItem[] | undefined {
  return asArray(entries)?.flatMap((item) => {
    const entry = asObject(item);
    const content = asString(entry?.["content"]);
    if (content === undefined) return [];
    return [
      {
        content,
        priority: asString(entry?.["priority"]) ?? "medium",
        status: asString(entry?.["status"]) ?? "pending",
      },
    ];
  });
}

function severityOf(severity: Json | undefined): NoticeSeverity {
  return severity === "warning" || severity === "error" ? severity : "info";
}

function noticeText(body: JsonObject): string {
  const title = asString(body["title"]) ?? "Notice";
  const description = asString(body["description"]);
  return description === undefined ? title : `${title}\n${description}`;
}
