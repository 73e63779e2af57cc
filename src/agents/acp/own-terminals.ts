import type { AgentEvent } from "../../ports/agents.ts";
import type { Json } from "../../protocol/json.ts";
import { asNumber, asObject, asString, type JsonObject } from "./read-json.ts";

/** Output up to here is shown as it comes; of what follows only the end is kept, and shown when the command is over. */
const HEAD_CHARS_MAX = 500_000;
const TAIL_CHARS_MAX = 400_000;

/** Told to agents with `initialize`: those that run commands themselves then send what these print as it comes. */
export const OWN_TERMINAL_CAPABILITIES = { terminal_output: true, terminal_output_delta: true };

/**
 * Agents run commands in terminals of their own and send what these print beside the tool call, in its `_meta`, piece
 * by piece. Here the pieces become the call's output.
 */
export class OwnTerminals {
  readonly #outputs = new Map<string, { head: string; tail: string; leftOut: number }>();

  /** The event with the whole output so far, where its update carried some or ended the command. */
  complete(event: AgentEvent, update: Json): AgentEvent {
    if (event.type !== "tool") return event;
    const { patch } = event;
    const meta = asObject(asObject(update)?.["_meta"]);
    const data = dataOf(meta);
    if (data !== undefined) this.#add(patch.toolCallId, data);
    const output = this.#outputs.get(patch.toolCallId);
    const isOver = patch.status === "complete" || patch.status === "error";
    if (isOver) this.#outputs.delete(patch.toolCallId);
    if (!output) {
      const code = asNumber(asObject(meta?.["terminal_exit"])?.["exit_code"]);
      const isMute = patch.status === "error" && patch.result === undefined && code !== undefined;
      return isMute ? { ...event, patch: { ...patch, result: `Exit code ${code}` } } : event;
    }
    const hasNews = isOver || patch.result !== undefined || (data !== undefined && output.tail === "");
    return hasNews ? { ...event, patch: { ...patch, result: textOf(output) } } : event;
  }

  #add(toolCallId: string, data: string): void {
    const output = this.#outputs.get(toolCallId) ?? { head: "", tail: "", leftOut: 0 };
    this.#outputs.set(toolCallId, output);
    const room = output.tail === "" ? HEAD_CHARS_MAX - output.head.length : 0;
    output.head += data.slice(0, room);
    const tail = output.tail + data.slice(room);
    output.tail = tail.slice(-TAIL_CHARS_MAX);
    output.leftOut += tail.length - output.tail.length;
  }
}

function dataOf(meta: JsonObject | null): string | undefined {
  const output = asObject(meta?.["terminal_output_delta"]) ?? asObject(meta?.["terminal_output"]);
  return asString(output?.["data"]);
}

function textOf({ head, tail, leftOut }: { head: string; tail: string; leftOut: number }): string {
  return leftOut === 0 ? head + tail : `${head}\n[… ${leftOut} characters left out …]\n${tail}`;
}
