import type { Json } from "../../../src/protocol/json.ts";
import { type AnswerWriter, inPieces } from "./answer-writer.ts";

const INPUT_TOKENS = 1_234;

/** Server-sent events of the chat completions API. */
export class ChatWriter implements AnswerWriter {
  readonly #id: string;
  readonly #model: string;
  #calls = 0;
  #pieces = 0;

  constructor(id: string, model: string) {
    this.#id = id;
    this.#model = model;
  }

  begin(): string {
    return this.#chunk({ role: "assistant", content: "" });
  }

  think(piece: string): string {
    return this.#chunk({ reasoning_content: piece });
  }

  say(piece: string): string {
    return this.#chunk({ content: piece });
  }

  callTool(name: string, input: Json): string {
    const index = this.#calls++;
    const id = `call_${this.#id}_${index}`;
    const first = { index, id, type: "function", function: { name, arguments: "" } };
    const pieces = inPieces(JSON.stringify(input)).map((piece) =>
      this.#chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    );
    return [this.#chunk({ tool_calls: [first] }), ...pieces].join("");
  }

  end(): string {
    const usage = {
      prompt_tokens: INPUT_TOKENS,
      completion_tokens: this.#pieces,
      total_tokens: INPUT_TOKENS + this.#pieces,
    };
    const finished = this.#event({
      choices: [{ index: 0, delta: {}, finish_reason: this.#calls > 0 ? "tool_calls" : "stop" }],
    });
    return `${finished}${this.#event({ choices: [], usage })}data: [DONE]\n\n`;
  }

  failure(status: number, message: string): Json {
    return {
      error: { message, type: status < 500 ? "invalid_request_error" : "server_error", code: null, param: null },
    };
  }

  #chunk(delta: Json): string {
    this.#pieces += 1;
    return this.#event({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  #event(body: Readonly<Record<string, Json>>): string {
    const head = { id: `chatcmpl-${this.#id}`, object: "chat.completion.chunk", created: 1, model: this.#model };
    return `data: ${JSON.stringify({ ...head, ...body })}\n\n`;
  }
}
