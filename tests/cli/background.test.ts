import { expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { McpCaller } from "../orchestration/mcp-caller.ts";
import { startTestServer, TestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

const USUAL_PORT = 3000;

/** Occupies the default port unless another program has it. */
function holdUsualPort(): AsyncDisposable {
  try {
    const server = Bun.serve({
      port: USUAL_PORT,
      hostname: "127.0.0.1",
      reusePort: false,
      fetch: () => new Response(""),
    });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    if (!(error instanceof Error && Reflect.get(error, "code") === "EADDRINUSE")) throw error;
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}

it(
  "X-14 a server in the background takes a free port where the usual one is busy; a chosen one is not changed (E3)",
  async () => {
    await using _busy = holdUsualPort();
    await using server = await TestServer.prepare();
    const chosen = await liminal(server, ["ls"], { env: { LIMINAL_PORT: String(USUAL_PORT) } });
    expect(chosen).toMatchObject({ code: 3, stderr: expect.stringContaining("The port is in use") });
    const listed = await liminal(server, ["ls"], { env: { LIMINAL_PORT: "" } });
    try {
      expect(listed.code).toBe(0);
      const port = Number(/running in the background: http:\/\/127\.0\.0\.1:(\d+)/.exec(listed.stderr)?.[1]);
      expect(port).toBeGreaterThan(0);
      expect(port).not.toBe(USUAL_PORT);
    } finally {
      expect((await liminal(server, ["stop"])).code).toBe(0);
    }
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 a server whose token comes from its environment is usable by commands that do not have it (E3)",
  async () => {
    const LIMINAL_TOKEN = "a-token-of-the-user-that-is-long-enough";
    await using server = await startTestServer({ env: { LIMINAL_TOKEN } });
    expect(server.token).toBe(LIMINAL_TOKEN);
    expect(await liminalJson(server, ["ls"])).toMatchObject({ code: 0, value: { sessions: [] } });
    await server.stop();
    expect(existsSync(join(server.dataDir, "command-token"))).toBe(false);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "O-6 liminal mcp starts a server where none runs, once for programs that come together, and stdout stays MCP (C10)",
  async () => {
    await using server = await TestServer.prepare();
    try {
      await using callers = new AsyncDisposableStack();
      const opened = await Promise.all([McpCaller.overStdio(server), McpCaller.overStdio(server)]);
      for (const caller of opened) callers.use(caller);
      for (const caller of opened) expect(await caller.list()).toEqual([]);
      const others = await liminal(server, ["ls"]);
      expect(others).toMatchObject({ code: 0, stderr: "" });
    } finally {
      expect((await liminal(server, ["stop"])).code).toBe(0);
    }
  },
  COMMANDS_TIMEOUT_MS,
);
