import type { AgentEvent, ToolPatch } from "../../../ports/agents.ts";
import type { Json } from "../../../protocol/json.ts";
import { asArray, asObject } from "../read-json.ts";

/**
 * A call's content is always sent whole. Gemini describes a command in it when it asks, and sends an empty one when the
 * command is over: the description must not stay behind as the command's output.
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

  /** The event, with empty output where the update takes away what was shown. */
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
