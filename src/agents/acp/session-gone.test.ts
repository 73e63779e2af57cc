import { expect, test } from "bun:test";
import { isSessionGone } from "./agent-refusals.ts";

const CODEX = "@agentclientprotocol/codex-acp";
const CLAUDE = "@agentclientprotocol/claude-agent-acp";

test.each([
  [CLAUDE, -32002, "Session not found: 0199"],
  [CODEX, -32603, "Internal error: no rollout found for thread id 0199"],
  [CODEX, -32002, "Session not found: 0199"],
  ["gemini-cli", -32603, 'Internal error: Invalid session identifier "0199".'],
  ["qwen-code", -32603, "Internal error: Session not found"],
  ["pi", -32602, "Invalid params: Unknown sessionId: 0199"],
  ["droid", -32602, "Session with id 'a-b' does not exist"],
  ["any", -32601, "Method not found"],
])("CV-2 (A3) %s, %d, %j: the conversation is gone", (agent, code, message) => {
  expect(isSessionGone({ code, message }, agent)).toBe(true);
});

test.each([
  [CODEX, -32600, "This Codex session is in use by another Codex client (the Codex app, the CLI or an IDE extension)."],
  [CODEX, -32603, "Internal error: thread 0199 already has an active writer"],
  [CLAUDE, -32603, "Internal error: Query closed before response received"],
  ["opencode", -32603, "service failure"],
  ["copilot", -32602, "Session 0199 is already loaded"],
  ["any", -32603, "Internal error"],
  ["any", -32603, "Could not resume the session: command not found: node"],
  ["any", -32602, "cwd does not exist"],
  ["any", 500, "Model gpt-9 not found"],
  // Only Codex means its own words by these.
  ["any", -32603, "no rollout found"],
])("CV-2 (A3) %s, %d, %j: it is refused, and may be there", (agent, code, message) => {
  expect(isSessionGone({ code, message }, agent)).toBe(false);
});
