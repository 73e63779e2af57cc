import { createInterface } from "node:readline";
import { z } from "zod";
import type { AgentSetting } from "../support/test-server.ts";

const Option = z.object({ optionId: z.string(), name: z.string(), kind: z.string() });
const Ask = z.object({
  toolCall: z.record(z.string(), z.unknown()),
  options: z.array(Option).optional(),
  /** Takes the question back right after asking it. */
  withdraw: z.boolean().optional(),
});
type Ask = z.input<typeof Ask>;
const Message = z.object({
  id: z.unknown(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
  result: z.record(z.string(), z.unknown()).optional(),
});
type Message = z.infer<typeof Message>;
const Prompt = z.tuple([z.object({ text: z.string() })]);
const Outcome = z.object({ outcome: z.string(), optionId: z.string().optional() });

export const ONCE_OPTIONS: z.infer<typeof Option>[] = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** A real agent process that sends the requests in a prompt, all at once, and prints the answers it got. */
export function askingAgent(more: Partial<AgentSetting> = {}): AgentSetting {
  return { name: "Asking", command: process.execPath, args: [import.meta.path], ...more };
}

/** The prompt that makes it ask. */
export function asks(...questions: Ask[]): string {
  return JSON.stringify(questions);
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

class Turn {
  readonly #promptId: unknown;
  readonly #sessionId: string;
  readonly #answers: string[] = [];
  readonly #open = new Map<string, number>();

  constructor(promptId: unknown, sessionId: string) {
    this.#promptId = promptId;
    this.#sessionId = sessionId;
  }

  ask(questions: z.infer<typeof Ask>[]): void {
    const ids = questions.map(() => crypto.randomUUID());
    ids.forEach((id, index) => {
      this.#open.set(id, index);
    });
    questions.forEach(({ toolCall, options = ONCE_OPTIONS, withdraw }, index) => {
      const id = ids[index] ?? "";
      const call = { toolCallId: id, title: `Call ${index}`, ...toolCall };
      write({
        id,
        method: "session/request_permission",
        params: { sessionId: this.#sessionId, toolCall: call, options },
      });
      if (!withdraw) return;
      write({ method: "$/cancel_request", params: { requestId: id } });
      this.answered(id, "withdrawn");
    });
  }

  answered(id: string, answer: string): void {
    const index = this.#open.get(id);
    if (index === undefined) return;
    this.#open.delete(id);
    this.#answers[index] = answer;
    if (this.#open.size > 0) return;
    this.say(`answers: ${this.#answers.join(", ")}`);
    this.end(this.#answers.includes("cancelled") ? "cancelled" : "end_turn");
  }

  say(text: string): void {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    write({ method: "session/update", params: { sessionId: this.#sessionId, update } });
  }

  end(stopReason: string): void {
    write({ id: this.#promptId, result: { stopReason } });
  }
}

const turns: Turn[] = [];

function hear({ id, method, params, result }: Message): void {
  if (method === undefined) {
    const { outcome, optionId } = Outcome.parse(result?.["outcome"] ?? { outcome: "cancelled" });
    for (const turn of turns) turn.answered(String(id), optionId ?? outcome);
  } else if (method === "session/prompt") {
    const turn = new Turn(id, String(params["sessionId"]));
    turns.push(turn);
    turn.ask(z.array(Ask).parse(JSON.parse(Prompt.parse(params["prompt"])[0].text)));
  } else if (id !== undefined) write({ id, result: RESULTS[method]?.() ?? {} });
}

const RESULTS: Readonly<Record<string, () => object>> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  "session/new": () => ({ sessionId: crypto.randomUUID() }),
};

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) hear(Message.parse(JSON.parse(line)));
}
