import type { ToolCallContent, ToolCallLocation, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import type { Turn } from "./turn.ts";

/** The fields that announce a tool call. */
type ToolStart = {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly rawInput: unknown;
  readonly locations?: ToolCallLocation[];
  readonly content?: ToolCallContent[];
  readonly _meta?: { readonly [key: string]: unknown };
};

/** The fields that may change; absent ones stay unchanged. */
type ToolPatch = Omit<ToolCallUpdate, "toolCallId" | "status">;

/** One tool call from pending to its end; the turn marks it as failed if it is still open at a cancel. */
export class ToolCall {
  readonly id: string;
  readonly #turn: Turn;
  readonly #start: ToolStart;
  /** The content that the client shows now, so that a cancel does not clear existing output. */
  #content: readonly ToolCallContent[];

  constructor(turn: Turn, start: ToolStart) {
    this.id = turn.context.world.newId("call");
    this.#turn = turn;
    this.#start = start;
    this.#content = start.content ?? [];
    turn.update({ sessionUpdate: "tool_call", toolCallId: this.id, status: "pending", ...start });
    turn.openTools.add(this);
  }

  /** The complete call for a permission request, for clients that see it there first. */
  get announcement(): ToolCallUpdate {
    return { toolCallId: this.id, status: "pending", ...this.#start };
  }

  run(patch: ToolPatch = {}): void {
    this.#send({ ...patch, status: "in_progress" });
  }

  /** Running output: sent live, recorded only in the last update, which has all of it. */
  progress(patch: ToolPatch): void {
    this.#content = patch.content ?? this.#content;
    this.#turn.transient({ sessionUpdate: "tool_call_update", toolCallId: this.id, ...patch });
  }

  complete(patch: ToolPatch = {}): void {
    this.#finish({ ...patch, status: "completed" });
  }

  fail(reason: string): void {
    this.failWith({ content: [textContent(reason)] });
  }

  cancel(): void {
    this.failWith({ content: [...this.#content, textContent("Cancelled.")] });
  }

  failWith(patch: ToolPatch): void {
    this.#finish({ ...patch, status: "failed" });
  }

  #finish(patch: Omit<ToolCallUpdate, "toolCallId">): void {
    this.#turn.openTools.delete(this);
    this.#send(patch);
  }

  #send(patch: Omit<ToolCallUpdate, "toolCallId">): void {
    this.#content = patch.content ?? this.#content;
    this.#turn.update({ sessionUpdate: "tool_call_update", toolCallId: this.id, ...patch });
  }
}

/** Text as tool content. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
