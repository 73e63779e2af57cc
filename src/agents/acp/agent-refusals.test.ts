import { describe, expect, it, test } from "bun:test";
import type { Json } from "../../protocol/json.ts";
import { asFailure, isSessionGone, refusalOf } from "./agent-refusals.ts";
import { RpcError } from "./connection/acp-connection.ts";

describe("refusalOf", () => {
  it("-32000 means sign-in is required, and lists the methods", () => {
    expect(refusalOf({ code: -32000, message: "x" }, "Claude", ["Log in", "API key"])).toEqual({
      code: "AGENT_AUTH_REQUIRED",
      message: "Claude needs you to sign in first: Log in, API key.",
    });
    expect(refusalOf({ code: -32000, message: "x" }, "Claude", []).message).toContain("its own command line");
  });

  it("any other error is the agent's message, whatever its code", () => {
    for (const code of [-32603, -32002, 401, 500, 0])
      expect(refusalOf({ code, message: "The model is busy." }, "Gemini", [])).toEqual({
        code: "AGENT_PROTOCOL_ERROR",
        message: "The model is busy.",
      });
  });
});

describe("asFailure", () => {
  const rejected = (code: number, data?: Json) => new RpcError(code, "Internal error", data);

  it("reads the code, and the detail wherever agents put it", () => {
    expect(asFailure(rejected(-32603))).toEqual({ code: -32603, message: "Internal error" });
    for (const data of ["no key", { details: "no key" }, { message: "no key" }])
      expect(asFailure(rejected(-32603, data))).toEqual({ code: -32603, message: "Internal error: no key" });
    expect(asFailure(rejected(-32603, { errorKind: "x" }))?.message).toBe("Internal error");
  });

  it("an error that is not an answer of the agent means the connection is lost", () => {
    const broken = Object.assign(new Error("write"), { code: -32 });
    expect([new Error("closed"), broken, "words"].map(asFailure)).toEqual([null, null, null]);
  });
});

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
])("CV-2 (A3) %s, %d, %j: the conversation does not exist", (agent, code, message) => {
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
  // Only Codex uses these messages with this meaning.
  ["any", -32603, "no rollout found"],
])("CV-2 (A3) %s, %d, %j: the request is refused, and the conversation may exist", (agent, code, message) => {
  expect(isSessionGone({ code, message }, agent)).toBe(false);
});
