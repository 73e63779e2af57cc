import { describe, expect, it } from "bun:test";
import { agentEnvironment } from "./agent-environment.ts";

describe("agentEnvironment", () => {
  it.each([
    "npm_config_registry",
    "npm_lifecycle_event",
    "NPM_CONFIG_LOGLEVEL",
    "BUN_INSPECT",
    "BUN_INSTALL",
    "NODE_OPTIONS",
    "NODE_ENV",
    "NODE_CHANNEL_FD",
    "INIT_CWD",
    "ELECTRON_RUN_AS_NODE",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "LIMINAL_TOKEN",
    "LIMINAL_MCP_TOKEN",
    "LIMINAL_MODEL_KEY",
  ])("keeps %s from the agent: it belongs to whoever started us", (name) => {
    expect(agentEnvironment({ [name]: "x", HOME: "/home/me" })).toEqual({ HOME: "/home/me" });
  });

  it.each([
    "HOME",
    "PATH",
    "LANG",
    "SHELL",
    "SSH_AUTH_SOCK",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_MAX_RETRIES",
    "CODEX_HOME",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "HTTPS_PROXY",
    "MY_npm_THING",
  ])("lets %s through: agents and their users rely on it", (name) => {
    expect(agentEnvironment({ [name]: "x" })).toEqual({ [name]: "x" });
  });

  it("what is laid over wins, the later over the earlier, and is not scrubbed: it was asked for", () => {
    expect(agentEnvironment({ A: "0", B: "0", C: "0" }, { B: "1", C: "1" }, { C: "2", NODE_ENV: "test" })).toEqual({
      A: "0",
      B: "1",
      C: "2",
      NODE_ENV: "test",
    });
  });

  it("leaves out what is not set, and changes nothing of the caller's", () => {
    const inherited = { SET: "x", UNSET: undefined };
    expect(agentEnvironment(inherited, { NEW: "y" })).toEqual({ SET: "x", NEW: "y" });
    expect(inherited).toEqual({ SET: "x", UNSET: undefined });
  });
});
