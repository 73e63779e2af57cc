import type { Json } from "../../../src/protocol/json.ts";
import { type AnswerWriter, inPieces, serverEvent } from "./answer-writer.ts";
import type { OfferedTool } from "./model-request.ts";

/** Finds tools that are there and were not told yet. */
const TOOL_SEARCH = "tool_search";
const INPUT_TOKENS = 1_234;
type Item = Readonly<Record<string, Json>>;
type Open = { readonly kind: "text" | "reasoning"; readonly id: string; text: string };

/** Server-sent events of the Responses API. */
export class ResponsesWriter implements AnswerWriter {
  readonly #id: string;
  readonly #model: string;
  readonly #tools: readonly OfferedTool[];
  readonly #output: Item[] = [];
  #open: Open | null = null;
  #events = 0;

  constructor(id: string, model: string, tools: readonly OfferedTool[]) {
    this.#id = id;
    this.#model = model;
    this.#tools = tools;
  }

  begin(): string {
    return this.#event("response.created", { response: this.#response("in_progress") });
  }

  think(piece: string): string {
    const [opened, open] = this.#grow("reasoning", piece);
    const place = { item_id: open.id, output_index: this.#output.length, summary_index: 0 };
    return opened + this.#event("response.reasoning_summary_text.delta", { ...place, delta: piece });
  }

  say(piece: string): string {
    const [opened, open] = this.#grow("text", piece);
    const place = { item_id: open.id, output_index: this.#output.length, content_index: 0 };
    return opened + this.#event("response.output_text.delta", { ...place, delta: piece });
  }

  callTool(words: string, input: Json): string {
    const closed = this.#close();
    if (words === TOOL_SEARCH) return closed + this.#searchTools(input);
    const [name = "", namespace] = words.split("/").reverse();
    const freeform = this.#tools.find((tool) => tool.name === name)?.freeform ?? false;
    const text = typeof input === "string" ? input : JSON.stringify(input);
    const call_id = `call_${this.#id}_${this.#output.length}`;
    const place = { item_id: `item_${call_id}`, output_index: this.#output.length };
    const base = { id: place.item_id, call_id, name, ...(namespace !== undefined && { namespace }) };
    const [started, whole, delta]: [Item, Item, string] = freeform
      ? [
          { ...base, type: "custom_tool_call", input: "" },
          { ...base, type: "custom_tool_call", input: text },
          "response.custom_tool_call_input.delta",
        ]
      : [
          { ...base, type: "function_call", arguments: "", status: "in_progress" },
          { ...base, type: "function_call", arguments: text, status: "completed" },
          "response.function_call_arguments.delta",
        ];
    const added = this.#event("response.output_item.added", { output_index: place.output_index, item: started });
    const pieces = inPieces(text).map((piece) => this.#event(delta, { ...place, delta: piece }));
    return [closed, added, ...pieces, this.#done(whole)].join("");
  }

  /** Answered by the client, like a function, though it is none. */
  #searchTools(input: Json): string {
    const call_id = `call_${this.#id}_${this.#output.length}`;
    const item: Item = {
      id: `item_${call_id}`,
      type: "tool_search_call",
      call_id,
      execution: "client",
      arguments: input,
    };
    const added = this.#event("response.output_item.added", { output_index: this.#output.length, item });
    return added + this.#done({ ...item, status: "completed" });
  }

  end(): string {
    const closed = this.#close();
    const usage = {
      input_tokens: INPUT_TOKENS,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: this.#events,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: INPUT_TOKENS + this.#events,
    };
    return closed + this.#event("response.completed", { response: { ...this.#response("completed"), usage } });
  }

  failure(status: number, message: string): Json {
    const code = status === 401 ? "invalid_api_key" : null;
    return { error: { message, type: status < 500 ? "invalid_request_error" : "server_error", code, param: null } };
  }

  #grow(kind: Open["kind"], piece: string): [string, Open] {
    if (this.#open?.kind === kind) {
      this.#open.text += piece;
      return ["", this.#open];
    }
    const closed = this.#close();
    const open: Open = { kind, id: `item_${this.#id}_${this.#output.length}`, text: piece };
    this.#open = open;
    const item: Item =
      kind === "text"
        ? { id: open.id, type: "message", role: "assistant", status: "in_progress", content: [] }
        : { id: open.id, type: "reasoning", summary: [] };
    const added = this.#event("response.output_item.added", { output_index: this.#output.length, item });
    const place = { item_id: open.id, output_index: this.#output.length };
    const part =
      kind === "text"
        ? this.#event("response.content_part.added", {
            ...place,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          })
        : this.#event("response.reasoning_summary_part.added", {
            ...place,
            summary_index: 0,
            part: { type: "summary_text", text: "" },
          });
    return [closed + added + part, open];
  }

  #close(): string {
    if (this.#open === null) return "";
    const { kind, id, text } = this.#open;
    this.#open = null;
    const content = [{ type: "output_text", text, annotations: [] }];
    return this.#done(
      kind === "text"
        ? { id, type: "message", role: "assistant", status: "completed", content }
        : { id, type: "reasoning", summary: [{ type: "summary_text", text }], encrypted_content: "c2VhbGVk" },
    );
  }

  #done(item: Item): string {
    const event = this.#event("response.output_item.done", { output_index: this.#output.length, item });
    this.#output.push(item);
    return event;
  }

  #response(status: string): Item {
    return { id: `resp_${this.#id}`, object: "response", status, model: this.#model, output: [...this.#output] };
  }

  #event(type: string, body: Item): string {
    return serverEvent(type, { sequence_number: this.#events++, ...body });
  }
}
