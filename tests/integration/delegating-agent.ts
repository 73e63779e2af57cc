import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { AgentSetting } from "../support/test-server.ts";

/** What the agent's only sub-agent is called, and its session. */
export const CHILD = "agent-a1";
export const CHILD_TITLE = "Explore: Find the parser";

type Message = { id?: unknown; method?: string; params?: Record<string, unknown>; result?: unknown };

/**
 * A real agent process that delegates, in the exact shape of Claude's adapter: the sub-agent has a session of its own,
 * its launch is told by messages instead of a tool call, and its state by `subagent_update`. What it does is in the
 * prompt: `delegate` until the permission is answered, `background` beyond the end of its turn.
 */
export function delegatingAgent(env: Readonly<Record<string, string>> = {}): AgentSetting {
  return { name: "Delegating", command: process.execPath, args: [import.meta.path], env: { ...env } };
}

const LOOK_AGAIN_MS = 5;
let promptId: unknown;
let root = "";
const waiting = new Map<unknown, (result: unknown) => void>();

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
function update(sessionId: string, body: object): void {
  write({ method: "session/update", params: { sessionId, update: body } });
}
function says(sessionId: string, text: string, messageId: string): void {
  update(sessionId, { sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
}
function state(value: object, more: object = {}): void {
  update(root, { sessionUpdate: "subagent_update", sessionId: CHILD, ...more, state: value });
}
/** Both views of one message, as its sender and its recipient get them. */
function tell(from: string, to: string, messageId: string, text: string): void {
  const message = {
    sessionUpdate: "session_message",
    messageId,
    senderSessionId: from,
    recipientSessionId: to,
    content: [{ type: "text", text }],
  };
  update(from, { ...message, recipientMessageId: messageId });
  update(to, { ...message, senderMessageId: messageId });
}
function end(stopReason = "end_turn"): void {
  if (promptId !== undefined) write({ id: promptId, result: { stopReason } });
  promptId = undefined;
}

function launch(): void {
  const labels = { title: "Explore", description: "Find the parser" };
  state({ state: "running" }, { ...labels, capabilities: { cancel: {} } });
  tell(root, CHILD, "toolu_1", "Find where input is parsed.");
  const model = { id: "model", name: "Model", type: "select", currentValue: "small", options: [] };
  update(CHILD, { sessionUpdate: "config_option_update", configOptions: [model] });
}

/** The child's words arrive between those of its parent. */
function work(): void {
  says(CHILD, "I look ", "m-child-1");
  says(root, "Meanwhile I ", "m-root-1");
  says(CHILD, "into src.", "m-child-1");
  says(root, "wait.", "m-root-1");
  update(CHILD, {
    sessionUpdate: "tool_call",
    toolCallId: "toolu_2",
    title: "grep parse src",
    kind: "search",
    status: "pending",
  });
}

function finish(): void {
  update(CHILD, { sessionUpdate: "tool_call_update", toolCallId: "toolu_2", status: "completed" });
  says(CHILD, "It is in src/parse.ts.", "m-child-2");
  state({ state: "idle", stopReason: "end_turn" });
  update(root, {
    sessionUpdate: "session_message",
    messageId: "toolu_1:reply",
    senderSessionId: CHILD,
    recipientSessionId: root,
    content: [{ type: "text", text: "It is in src/parse.ts." }],
  });
}

function askFor(method: string, params: object, then: () => void): void {
  const id = `ask-${method}`;
  waiting.set(id, then);
  state({ state: "requires_action" });
  write({ id, method, params: { sessionId: CHILD, ...params } });
}

const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

function play(text: string): void {
  if (text === "plain") {
    says(root, "Nothing to delegate.", "m-plain");
    end();
    return;
  }
  launch();
  work();
  if (text.startsWith("background")) {
    end();
    // The test's word that the child may end.
    const file = text.slice("background ".length);
    const look = setInterval(() => {
      if (!existsSync(file)) return;
      clearInterval(look);
      finish();
    }, LOOK_AGAIN_MS);
    return;
  }
  if (text === "hang") return;
  const toolCall = { toolCallId: "toolu_2", title: "grep parse src", kind: "search" };
  askFor("session/request_permission", { toolCall, options: OPTIONS }, () => {
    state({ state: "running" });
    const requestedSchema = { type: "object", properties: { depth: { type: "string" } }, required: ["depth"] };
    askFor("elicitation/create", { mode: "form", message: "How deep?", requestedSchema }, () => {
      state({ state: "running" });
      finish();
      says(root, "Found it.", "m-root-2");
      end();
    });
  });
}

/** As the adapter replays: the child's conversation at its launch, how it ended after everything else. */
function replay(): void {
  update(root, { sessionUpdate: "user_message_chunk", messageId: "u-1", content: { type: "text", text: "Find it" } });
  state({ state: "running" }, { title: "Explore", description: "Find the parser" });
  tell(root, CHILD, "toolu_1", "Find where input is parsed.");
  says(CHILD, "It is in src/parse.ts.", "m-child-2");
  says(root, "Found it.", "m-root-2");
  update(root, { sessionUpdate: "user_message_chunk", messageId: "u-2", content: { type: "text", text: "Thanks" } });
  says(root, "You are welcome.", "m-root-3");
  state({ state: "idle", stopReason: "end_turn" });
}

function stopChild(): void {
  update(CHILD, { sessionUpdate: "tool_call_update", toolCallId: "toolu_2", status: "failed" });
  state({ state: "idle", stopReason: "cancelled" });
  says(root, " I go on without it.", "m-root-9");
  end();
}

function onMessage({ id, method, params = {}, result }: Message): void {
  if (method === undefined) {
    const then = waiting.get(id);
    waiting.delete(id);
    then?.(result);
    return;
  }
  switch (method) {
    case "initialize": {
      const offered = { loadSession: true, sessionCapabilities: { list: {} } };
      write({ id, result: { protocolVersion: 1, agentCapabilities: offered } });
      break;
    }
    case "session/new":
      root = crypto.randomUUID();
      write({ id, result: { sessionId: root } });
      break;
    case "session/list": {
      const { cwd } = params;
      const listed = { sessionId: "elsewhere", cwd, title: "Find it", updatedAt: new Date().toISOString() };
      write({ id, result: { sessions: [listed] } });
      break;
    }
    case "session/load":
      root = String(params["sessionId"]);
      replay();
      write({ id, result: {} });
      // The current state, once the load is answered.
      state({ state: "idle", stopReason: "end_turn" });
      break;
    case "session/prompt":
      promptId = id;
      play((params["prompt"] as { text: string }[])[0]?.text ?? "");
      break;
    case "session/cancel":
      if (params["sessionId"] === CHILD) stopChild();
      else end("cancelled");
      break;
    default:
      if (id !== undefined) write({ id, result: {} });
  }
}

if (import.meta.main)
  for await (const line of createInterface({ input: process.stdin })) onMessage(JSON.parse(line) as Message);
