import type { AgentEvent, ToolPatch } from "../../../ports/agents.ts";
import type { Json } from "../../../protocol/json.ts";
import { asNumber, asObject, asString, type JsonObject } from "../read-json.ts";

/** Told to agents with `initialize`: those that run commands themselves then send what these print as it comes. */
export const OWN_TERMINAL_CAPABILITIES = { terminal_output: true, terminal_output_delta: true };

/**
 * Agents run commands in terminals of their own and send what these print beside the tool call, in its `_meta`, piece
 * by piece. Here the pieces become the call's output.
 */
export class OwnTerminals {
  readonly #printed = new Set<string>();

  get printed(): readonly string[] {
    return [...this.#printed];
  }

  restore(printed: readonly string[]): void {
    for (const toolCallId of printed) this.#printed.add(toolCallId);
  }

  /** The event, and what its update carried of a command's output. The first piece replaces what stood there before. */
  complete(event: AgentEvent, update: Json): AgentEvent[] {
    if (event.type !== "tool") return [event];
    const { patch } = event;
    const meta = asObject(asObject(update)?.["_meta"]);
    const text = dataOf(meta);
    const hasPrinted = this.#printed.has(patch.toolCallId);
    if (text === undefined && !hasPrinted) return [withExitCode(event, meta)];
    this.#printed.add(patch.toolCallId);
    if (text !== undefined && !hasPrinted) return [{ ...event, patch: { ...patch, result: text } }];
    // What the terminal printed is the output; the agent's own account of it would only say it again.
    const { result: _, ...rest } = patch;
    const news: AgentEvent[] = saysMore(rest) ? [{ ...event, patch: rest }] : [];
    return text === undefined ? news : [{ type: "tool-output", toolCallId: patch.toolCallId, text }, ...news];
  }
}

function saysMore({ toolCallId: _, announced, ...rest }: ToolPatch): boolean {
  return announced || Object.keys(rest).length > 0;
}

/** A command that failed without a word at least says how. */
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
