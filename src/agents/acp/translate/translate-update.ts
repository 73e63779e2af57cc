import { type AgentEvent, CONVERSATION_EVENTS, type CompactionPatch, type ToolPatch } from "../../../ports/agents.ts";
import type { NoticeSeverity, PlanItem } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import type { SessionNote } from "../connection/acp-hooks.ts";
import { asArray, asNumber, asObject, asShortString, asString, type JsonObject } from "../read-json.ts";
import { translateCommands, translateOptions, translateUsage } from "./translate-config.ts";
import { translateContent } from "./translate-content.ts";
import { parentOf, translateTool } from "./translate-tool.ts";
import { tokensOf } from "./translate-turn.ts";

/** Limit of a session title; only its beginning is shown. */
const SESSION_TITLE_CHARS_MAX = 2_000;

/** Translates one ACP v1 `session/update`. Pure and tolerant: unreadable updates are kept as `unknown`. */
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
    type: "text",
    kind,
    text: part.text,
    ...(messageId !== undefined && { messageId }),
    ...parent,
  };
  // Qwen reports each model call's usage in an empty chunk.
  const callTokens = tokensOf(asObject(body["_meta"])?.["usage"]);
  return callTokens === undefined ? [event] : [event, { type: "usage", usage: { callTokens } }];
}

/** The state, the whole summary, or one more piece of it. */
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

/** A summary is text; other content is named. */
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

/** Translates the updates of one conversation; an update's meaning may depend on earlier ones. */
export class UpdateReader {
  readonly #content = new ReplacedContent();
  readonly #terminals = new OwnTerminals();
  readonly #blanks = new BlankStarts();

  read(update: Json): AgentEvent[] {
    return translateUpdate(update)
      .flatMap((event) => this.#terminals.complete(this.#content.complete(event, update), update))
      .filter((event) => !this.#blanks.isBlank(event));
  }

  /** A call that was shown outside of an update. */
  note(patch: ToolPatch): void {
    this.#content.note(patch);
  }

  get memory(): Pick<SessionNote, "shown" | "printed" | "growing"> {
    return { shown: [...this.#content.shown], printed: [...this.#terminals.printed], growing: this.#blanks.growing };
  }

  restore({ shown, printed, growing }: Pick<SessionNote, "shown" | "printed" | "growing">): void {
    this.#content.restore(shown);
    this.#terminals.restore(printed);
    this.#blanks.restore(growing);
  }
}

/** Codex separates thoughts with empty lines and sends them before the first one, too. */
export class BlankStarts {
  #growing: string | null = null;

  get growing(): string | null {
    return this.#growing;
  }

  restore(growing: string | null): void {
    this.#growing = growing;
  }

  /** True for an empty piece that would start a text; inside a text the same piece counts. */
  isBlank(event: AgentEvent): boolean {
    if (event.type === "text") {
      const text = `${event.kind} ${event.messageId ?? ""} ${event.parentToolCallId ?? ""}`;
      if (text !== this.#growing && event.text.trim() === "") return true;
      this.#growing = text;
    } else if (startsEntry(event)) this.#growing = null;
    return false;
  }
}

/** Text after this event starts a new entry; command output grows beside the text. */
function startsEntry({ type }: AgentEvent): boolean {
  const isOfConversation = CONVERSATION_EVENTS.has(type) && type !== "tool-output";
  return isOfConversation || type === "notice" || type === "compaction";
}

/**
 * A call's content is always sent whole. Gemini describes a command in it when it asks for permission, and sends an empty one when
 * the command has ended: the description must not remain as the command's output.
 */
export class ReplacedContent {
  readonly #shown = new Set<string>();

  get shown(): readonly string[] {
    return [...this.#shown];
  }

  restore(shown: readonly string[]): void {
    for (const toolCallId of shown) this.#shown.add(toolCallId);
  }

  /** Text that is shown as the call's output from now on. */
  note({ toolCallId, result }: ToolPatch): void {
    if (result) this.#shown.add(toolCallId);
  }

  /** The event, with empty output if the update clears what was shown. */
  complete(event: AgentEvent, update: Json): AgentEvent {
    if (event.type !== "tool") return event;
    const { patch } = event;
    const isEmptied = patch.result === undefined && asArray(asObject(update)?.["content"])?.length === 0;
    const isCleared = isEmptied && this.#shown.delete(patch.toolCallId);
    this.note(patch);
    if (patch.status === "complete" || patch.status === "error") this.#shown.delete(patch.toolCallId);
    return isCleared ? { ...event, patch: { ...patch, result: "" } } : event;
  }
}

/** Sent to agents with `initialize`: agents that run commands themselves then stream the output. */
export const OWN_TERMINAL_CAPABILITIES = { terminal_output: true, terminal_output_delta: true };

/**
 * Agents run commands in their own terminals and send the output beside the tool call, in its `_meta`, piece
 * by piece. These pieces become the call's output.
 */
export class OwnTerminals {
  readonly #printed = new Set<string>();

  get printed(): readonly string[] {
    return [...this.#printed];
  }

  restore(printed: readonly string[]): void {
    for (const toolCallId of printed) this.#printed.add(toolCallId);
  }

  /** The event, and the command output in its update. The first piece replaces earlier output. */
  complete(event: AgentEvent, update: Json): AgentEvent[] {
    if (event.type !== "tool") return [event];
    const { patch } = event;
    const meta = asObject(asObject(update)?.["_meta"]);
    const text = dataOf(meta);
    const hasPrinted = this.#printed.has(patch.toolCallId);
    if (text === undefined && !hasPrinted) return [withExitCode(event, meta)];
    this.#printed.add(patch.toolCallId);
    if (text !== undefined && !hasPrinted) return [{ ...event, patch: { ...patch, result: text } }];
    // The terminal's output is authoritative; the agent's own copy would repeat it.
    const { result: _, ...rest } = patch;
    const news: AgentEvent[] = hasChanges(rest) ? [{ ...event, patch: rest }] : [];
    return text === undefined ? news : [{ type: "tool-output", toolCallId: patch.toolCallId, text }, ...news];
  }
}

function hasChanges({ toolCallId: _, announced, ...rest }: ToolPatch): boolean {
  return announced || Object.keys(rest).length > 0;
}

/** A command that failed without output shows at least its exit code. */
function withExitCode(event: Extract<AgentEvent, { type: "tool" }>, meta: JsonObject | null): AgentEvent {
  const { patch } = event;
  const code = asNumber(asObject(meta?.["terminal_exit"])?.["exit_code"]);
  const isMute = patch.status === "error" && patch.result === undefined && code !== undefined;
  return isMute ? { ...event, patch: { ...patch, result: `Exit code ${code}` } } : event;
}

function dataOf(meta: JsonObject | null): string | undefined {
  const output = asObject(meta?.["terminal_output_delta"]) ?? asObject(meta?.["terminal_output"]);
  return asString(output?.["data"]);
}
