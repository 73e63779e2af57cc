import type { Json } from "../../../src/protocol/json.ts";
import { type AnswerWriter, inPieces, serverEvent } from "./answer-writer.ts";

const INPUT_TOKENS = 1_234;

/** Server-sent events of the Messages API. */
export class AnthropicWriter implements AnswerWriter {
  readonly #id: string;
  readonly #model: string;
  #blocks = 0;
  #open: "text" | "thinking" | null = null;
  #calls = 0;
  #pieces = 0;

  constructor(id: string, model: string) {
    this.#id = id;
    this.#model = model;
  }

  begin(): string {
    const message = {
      id: `msg_${this.#id}`,
      type: "message",
      role: "assistant",
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: INPUT_TOKENS, output_tokens: 1 },
    };
    return serverEvent("message_start", { message });
  }

  think(piece: string): string {
    return this.#grow("thinking", { type: "thinking", thinking: "", signature: "" }, "thinking_delta", piece);
  }

  say(piece: string): string {
    return this.#grow("text", { type: "text", text: "" }, "text_delta", piece);
  }

  callTool(name: string, input: Json): string {
    this.#calls += 1;
    const closed = this.#close();
    const id = `toolu_${this.#id}_${this.#calls}`;
    const index = this.#blocks++;
    const pieces = inPieces(JSON.stringify(input)).map((partial_json) =>
      serverEvent("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } }),
    );
    return [
      closed,
      serverEvent("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } }),
      ...pieces,
      serverEvent("content_block_stop", { index }),
    ].join("");
  }

  end(): string {
    const delta = { stop_reason: this.#calls > 0 ? "tool_use" : "end_turn", stop_sequence: null };
    const usage = { input_tokens: INPUT_TOKENS, output_tokens: this.#pieces + 1 };
    return this.#close() + serverEvent("message_delta", { delta, usage }) + serverEvent("message_stop", {});
  }

  failure(status: number, message: string): Json {
    const type = status === 401 ? "authentication_error" : status < 500 ? "invalid_request_error" : "api_error";
    return { type: "error", error: { type, message } };
  }

  #grow(kind: "text" | "thinking", block: Json, deltaType: string, piece: string): string {
    this.#pieces += 1;
    let opened = "";
    if (this.#open !== kind) {
      opened = this.#close() + serverEvent("content_block_start", { index: this.#blocks++, content_block: block });
      this.#open = kind;
    }
    const delta = { type: deltaType, [kind]: piece };
    return opened + serverEvent("content_block_delta", { index: this.#blocks - 1, delta });
  }

  #close(): string {
    if (this.#open === null) return "";
    const index = this.#blocks - 1;
    const signature =
      this.#open === "thinking"
        ? serverEvent("content_block_delta", { index, delta: { type: "signature_delta", signature: "c2lnbmVk" } })
        : "";
    this.#open = null;
    return signature + serverEvent("content_block_stop", { index });
  }
}
