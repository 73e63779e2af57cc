import { callsIn, type ModelMessage, resultOf } from "./model-message.ts";
import type { SessionRecord } from "./session-record.ts";

/** A rough measure, for endpoints that report no usage and for messages added since. */
const CHARACTERS_PER_TOKEN = 4;

/** The model's view of the conversation: stored in the session's file, so it outlives the process. */
export class Memory {
  readonly #write: (record: SessionRecord) => void;
  #messages: ModelMessage[] = [];
  #measured = 0;
  #unmeasuredCharacters = 0;

  constructor(records: readonly SessionRecord[], write: (record: SessionRecord) => void) {
    this.#write = write;
    for (const record of records) {
      if (record.type === "model") this.#push(record.message);
      if (record.type === "summary") this.#shorten(record.text, record.kept);
    }
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** Estimated tokens of the next model request. */
  get tokens(): number {
    return this.#measured + Math.ceil(this.#unmeasuredCharacters / CHARACTERS_PER_TOKEN);
  }

  add(message: ModelMessage): void {
    this.#write({ type: "model", message });
    this.#push(message);
  }

  /** The endpoint's own count up to now. */
  measure(tokens: number): void {
    this.#measured = tokens;
    this.#unmeasuredCharacters = 0;
  }

  /** Replaces everything but the last messages with a summary. */
  replaceBySummary(text: string, kept: number): void {
    this.#write({ type: "summary", text, kept });
    this.#shorten(text, kept);
  }

  /** Answers calls that were left open by a cancel or a crash: no model accepts a call without a result. */
  settle(words: string): void {
    const at = this.#messages.findLastIndex(({ role }) => role === "assistant");
    const [asking, ...after] = at === -1 ? [] : this.#messages.slice(at);
    const answered = new Set(
      after.flatMap((message) => (message.role === "tool" ? message.content.map(callIdOf) : [])),
    );
    const open = asking ? callsIn(asking).filter(({ toolCallId }) => !answered.has(toolCallId)) : [];
    if (open.length > 0) this.add({ role: "tool", content: open.map((call) => resultOf(call, words, true)) });
  }

  #push(message: ModelMessage): void {
    this.#messages.push(message);
    this.#unmeasuredCharacters += JSON.stringify(message.content).length;
  }

  #shorten(text: string, kept: number): void {
    const rest = kept > 0 ? this.#messages.slice(-kept) : [];
    this.#messages = [];
    this.measure(0);
    this.#push({ role: "user", content: [{ type: "text", text: `What happened so far, in short:\n\n${text}` }] });
    for (const message of rest) this.#push(message);
  }
}

function callIdOf(part: object): unknown {
  return "toolCallId" in part ? part.toolCallId : undefined;
}
