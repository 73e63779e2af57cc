// An ACP agent that keeps each conversation in a file, and copies it on request. The prompt "<count> messages" is
// answered by so many messages.
import { appendFileSync, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Call {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text?: string }[] };
}

const HOME = process.env["COPYING_AGENT_HOME"] ?? ".";
const CAPABILITIES = { sessionCapabilities: { resume: {}, close: {}, fork: {} } };

function write(messages: readonly object[]): void {
  process.stdout.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
}

function prompt({ id, params }: Call): void {
  const sessionId = params?.sessionId ?? "";
  const text = params?.prompt?.map((block) => block.text ?? "").join("") ?? "";
  const count = Number(/(\d+) messages/.exec(text)?.[1] ?? 1);
  const updates = Array.from({ length: count }, (_, at) => ({
    sessionUpdate: "agent_message_chunk",
    messageId: crypto.randomUUID(),
    content: { type: "text", text: `Message ${at + 1}.` },
  }));
  appendFileSync(join(HOME, sessionId), `${JSON.stringify([text, ...updates])}\n`);
  write(updates.map((update) => ({ method: "session/update", params: { sessionId, update } })));
  write([{ id, result: { stopReason: "end_turn" } }]);
}

for await (const line of createInterface({ input: process.stdin })) {
  const call: Call = JSON.parse(line);
  const { id, method, params } = call;
  switch (method) {
    case "initialize":
      write([{ id, result: { protocolVersion: 1, agentCapabilities: CAPABILITIES, authMethods: [] } }]);
      break;
    case "session/new": {
      const sessionId = crypto.randomUUID();
      writeFileSync(join(HOME, sessionId), "");
      write([{ id, result: { sessionId } }]);
      break;
    }
    case "session/fork": {
      const sessionId = crypto.randomUUID();
      copyFileSync(join(HOME, params?.sessionId ?? ""), join(HOME, sessionId));
      write([{ id, result: { sessionId } }]);
      break;
    }
    case "session/resume":
    case "session/close":
      write([{ id, result: {} }]);
      break;
    case "session/prompt":
      prompt(call);
      break;
    default:
      if (id !== undefined && method !== undefined)
        write([{ id, error: { code: -32601, message: `No method ${method}` } }]);
  }
}
process.exit(0);
