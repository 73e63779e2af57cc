// An ACP agent that stamps its output with the time: each chunk is "n<number>t<milliseconds since 1970>;". The prompt
// "<count> every <ms>" paces single chunks, "<count> at <rate>/s" keeps a rate in whatever bursts the timer allows.
import { createInterface } from "node:readline";

const TICK_MS = 4;

interface Call {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text?: string }[] };
}

function write(messages: readonly object[]): void {
  process.stdout.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
}

function chunk(sessionId: string, number: number): object {
  const text = `n${number}t${(performance.timeOrigin + performance.now()).toFixed(3)}; `;
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return { method: "session/update", params: { sessionId, update } };
}

async function say(sessionId: string, count: number, due: (elapsedMs: number) => number, tickMs: number) {
  const startedAt = performance.now();
  for (let said = 0; said < count; ) {
    const until = Math.min(count, due(performance.now() - startedAt));
    if (until > said) write(Array.from({ length: until - said }, (_, index) => chunk(sessionId, said + index + 1)));
    said = Math.max(said, until);
    await Bun.sleep(tickMs);
  }
}

async function prompt({ id, params }: Call): Promise<void> {
  const text = params?.prompt?.map((block) => block.text ?? "").join("") ?? "";
  const [, count = "0", kind, amount = "1"] = /(\d+) (every|at) (\d+)/.exec(text) ?? [];
  const [total, number] = [Number(count), Number(amount)];
  const sessionId = params?.sessionId ?? "";
  if (kind === "every") await say(sessionId, total, (ms) => Math.floor(ms / number) + 1, number);
  else await say(sessionId, total, (ms) => Math.floor((ms * number) / 1_000) + 1, TICK_MS);
  write([{ id, result: { stopReason: "end_turn" } }]);
}

let sessions = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const call: Call = JSON.parse(line);
  switch (call.method) {
    case "initialize":
      write([{ id: call.id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } }]);
      break;
    case "session/new":
      sessions += 1;
      write([{ id: call.id, result: { sessionId: `stamp-${sessions}` } }]);
      break;
    case "session/prompt":
      // Turns of several sessions run at the same time.
      void prompt(call);
      break;
    default:
      if (call.id !== undefined && call.method !== undefined)
        write([{ id: call.id, error: { code: -32601, message: `No method ${call.method}` } }]);
  }
}
process.exit(0);
