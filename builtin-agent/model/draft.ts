import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { AssistantPart, ModelCall } from "../sessions/model-message.ts";
import { isObject, type JsonObject, parseJson } from "../wire/json.ts";

type StreamPart = LanguageModelV3StreamPart;
type Metadata = NonNullable<ModelCall["providerOptions"]>;
type Open = { readonly type: "text" | "reasoning"; text: string; providerOptions?: Metadata };

/** The model's output of one step, assembled from its stream. */
export class Draft {
  readonly #parts: (Open | ModelCall)[] = [];
  readonly #open = new Map<string, Open>();
  /** Calls whose input is not a JSON object. */
  readonly unreadable = new Set<ModelCall>();

  /** Complete parts only, as stored in the model's memory. */
  get parts(): AssistantPart[] {
    return this.#parts.filter((part) => part.type === "tool-call" || part.text !== "" || part.providerOptions);
  }

  get calls(): ModelCall[] {
    return this.#parts.filter((part) => part.type === "tool-call");
  }

  /** The text of an interrupted answer. Endpoints refuse thoughts without their end. */
  get words(): AssistantPart[] {
    return this.parts.filter((part) => part.type === "text");
  }

  take(part: StreamPart): void {
    switch (part.type) {
      case "text-start":
        this.#start("text", part);
        break;
      case "reasoning-start":
        this.#start("reasoning", part);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#grow(part, part.delta);
        break;
      case "text-end":
      case "reasoning-end":
        this.#grow(part, "");
        break;
      case "tool-call":
        this.#call(part);
        break;
      default:
    }
  }

  #start(type: Open["type"], { id, providerMetadata }: { id: string; providerMetadata?: Metadata }): void {
    const open: Open = { type, text: "", ...(providerMetadata && { providerOptions: providerMetadata }) };
    this.#open.set(`${type} ${id}`, open);
    this.#parts.push(open);
  }

  /** Signatures arrive with the last pieces of a thought and must be sent back with it. */
  #grow(part: { type: string; id: string; providerMetadata?: Metadata }, text: string): void {
    const open = this.#open.get(`${part.type.split("-")[0]} ${part.id}`);
    if (!open) return;
    open.text += text;
    if (part.providerMetadata) open.providerOptions = { ...open.providerOptions, ...part.providerMetadata };
  }

  #call({ toolCallId, toolName, input, providerMetadata }: Extract<StreamPart, { type: "tool-call" }>): void {
    const given = readInput(input);
    const call: ModelCall = {
      type: "tool-call",
      toolCallId,
      toolName,
      input: given ?? {},
      ...(providerMetadata && { providerOptions: providerMetadata }),
    };
    if (!given) this.unreadable.add(call);
    this.#parts.push(call);
  }
}

function readInput(text: string): JsonObject | undefined {
  const parsed = parseJson(text.trim() === "" ? "{}" : text);
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}
