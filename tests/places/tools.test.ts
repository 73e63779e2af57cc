import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { findMarked } from "../../scripts/test/marked-processes.ts";
import { serverAt } from "../../src/places/place-links.ts";
import { type ModelServer, startModelServer } from "../agents/model-server/model-server.ts";
import { toolLine } from "../agents/model-server/script.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { anotherTalk, type Talk } from "../integration/talk.ts";
import { McpCaller, sessionToken } from "../orchestration/mcp-caller.ts";
import { modelEnv } from "../orchestrator/model-env.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { type AgentSetting, guideWith, START, TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { CAN_SSH, Sshd, WHERE_SSH } from "./sshd.ts";

const LEFT_MS = 20_000;
const SOCKET_VARIABLE = "LIMINAL_MCP_SOCKET";

/** As config.json has the agents of a place. */
const words = ({ command, args = [] }: AgentSetting, ...before: string[]) => [...before, command, ...args];

/** Starts only once the test lets it, and tells when somebody wants it. */
const GATED = 'touch "$0/begun-$$"; while [ ! -e "$0/go" ]; do sleep 0.05; done; exec "$@"';

describe.skipIf(!CAN_SSH)(`agents at a place that control other agents, ${WHERE_SSH}`, () => {
  let dir: TempDir;
  let there: string;
  let gates: string;
  let model: ModelServer;
  let sshd: Sshd;
  let server: TestServer;
  let surroundings: Record<string, string>;
  let talk: Talk;

  beforeAll(async () => {
    dir = await tempDir();
    model = startModelServer();
    there = dir.join("there");
    const guide = guideWith();
    const builtin = words(guide, "/usr/bin/env", ...Object.entries(modelEnv(model)).map((pair) => pair.join("=")));
    const program = dir.join("installed");
    writeFileSync(program, `#!/bin/sh\nexec ${START.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    gates = dir.join("gates");
    const gated = ["/bin/sh", "-c", GATED, gates, ...words(guide)];
    const box = { kind: "ssh", host: "box", program, agents: { builtin, guide: words(guide), gated } };
    const agents = { guide, gated: guide };
    server = await TestServer.prepare({
      prepare: (dataDir) => writeFileSync(join(dataDir, "config.json"), JSON.stringify({ agents, places: { box } })),
    });
    sshd = await Sshd.start({ HOME: there, PATH: process.env["PATH"] ?? "", ...server.processes.env });
    surroundings = { PATH: `${sshd.bin}:${process.env["PATH"]}` };
    mkdirSync(join(there, "app"), { recursive: true });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await sshd[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    mkdirSync(gates, { recursive: true });
    if (!server.isRunning) await server.start(surroundings);
    const client = await server.connect();
    const { projects } = await client.next("hello", () => true, 0);
    const id =
      projects[0]?.id ?? (await client.ask("project:added", { type: "project:add", path: "box:~/app" })).project.id;
    talk = await anotherTalk(client, id);
  });
  afterEach(async () => {
    await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
    Bun.spawnSync(["rm", "-rf", gates]);
    // Neither the agents of the tree nor what led them to the tools.
    await waitFor(
      () => [...held(), ...findMarked(SOCKET_VARIABLE, socket())],
      (left) => left.length === 0,
      "nothing to be left at the place",
    );
  });

  /** The directory of the server at the place. */
  function runnerDir(): string {
    const text = readFileSync(join(server.dataDir, "places.json"), "utf8");
    const { server: id } = z.object({ server: z.string() }).parse(JSON.parse(text));
    return join(there, ".liminal-runner", serverAt(id, "box"));
  }

  const socket = () => join(runnerDir(), "m/s");
  const held = () => readdirSync(join(runnerDir(), "h"));

  function cut(): void {
    const text = readFileSync(join(runnerDir(), "state.json"), "utf8");
    process.kill(z.object({ pid: z.int() }).parse(JSON.parse(text)).pid, "SIGKILL");
  }

  async function killAndStart(): Promise<void> {
    await server.kill();
    await server.start(surroundings);
    talk = await talk.joinedBy(await server.connect());
  }

  /** The tools as an agent at the place reaches them, for the session of a token. */
  async function callerThere(token: string): Promise<Client> {
    const [command, ...args] = START;
    const env = { PATH: process.env["PATH"] ?? "", HOME: there, [SOCKET_VARIABLE]: socket(), LIMINAL_MCP_TOKEN: token };
    const client = new Client({ name: "there", version: "1" });
    await client.connect(new StdioClientTransport({ command, args: [...args, "mcp"], env, stderr: "ignore" }));
    return client;
  }

  const childrenOf = async () => {
    await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
    return await caller.list();
  };

  it(
    "[SC-26] [SC-33] [SC-34] the built-in agent creates one there, waits for it and reads it; each has a process of its own",
    async () => {
      const seq = await talk.send(
        [
          toolLine("create_coding_agent", { agent: "guide", plan: "stream 3 words", title: "Counter" }),
          toolLine("wait_for_agents", {}),
          "say: It is done.",
        ].join("\n"),
      );
      await talk.untilIdle(seq);
      expect(talk.answer).toEndWith("It is done.");
      expect(talk.tools.map(({ name, status }) => [name, status])).toEqual([
        ["Create a coding agent: Counter", "complete"],
        ["Wait for agents", "complete"],
      ]);
      const children = await childrenOf();
      expect(children).toMatchObject([{ outcome: "done", cwd: `box:${there}/app` }]);
      await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
      expect((await caller.output(children[0]?.agentId ?? "")).text).toBe("w1 w2 w3");
      expect(held()).toHaveLength(2);
    },
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] the way to the tools is open to this user alone, and each session's token opens its own tools and nothing else",
    async () => {
      await talk.say("say: hello");
      expect(statSync(socket()).mode & 0o777).toBe(0o600);
      expect(statSync(join(runnerDir(), "m")).mode & 0o777).toBe(0o700);
      const client = await callerThere(sessionToken(server, talk.sessionId));
      const kinds = await client.callTool({ name: "list_agent_kinds", arguments: {} });
      const { kinds: ready } = z
        .object({ kinds: z.array(z.object({ agent: z.string() })) })
        .parse(kinds.structuredContent);
      expect(ready.map(({ agent }) => agent).toSorted()).toEqual(["builtin", "gated", "guide"]);
      await client.close();
      const reach = (token: string, path = "/mcp", init: RequestInit = {}) =>
        fetch(`http://localhost${path}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}` },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
          unix: socket(),
          ...init,
        });
      for (const token of [server.token, "", `${sessionToken(server, talk.sessionId)}x`])
        expect((await reach(token)).status).toBe(401);
      // Whatever path is named, the tools answer.
      const other = await reach(sessionToken(server, talk.sessionId), "/api/v1/projects");
      expect(await other.text()).toContain("create_coding_agent");
      const long = await reach(server.token, "/mcp", { body: "x".repeat(1024 * 1024 + 1) });
      expect(await long.text()).toContain("at most 1048576 characters");
      expect((await reach(server.token, "/mcp", { method: "GET", body: null })).status).toBe(200);
    },
    COMMANDS_TIMEOUT_MS,
  );

  for (const [what, away] of [
    ["the connection is cut", async () => cut()],
    ["the server is killed", killAndStart],
  ] as const)
    it(
      `[SC-27] ${what} while an agent there is created and while it is waited for: the calls are answered, and there is one`,
      async () => {
        const seq = await talk.send(
          [
            toolLine("create_coding_agent", { agent: "gated", plan: "sleep" }),
            toolLine("wait_for_agents", {}),
            "say: It is done.",
          ].join("\n"),
        );
        await waitFor(
          () => readdirSync(gates),
          (begun) => begun.length > 0,
          "the agent to be started",
        );
        await away();
        writeFileSync(join(gates, "go"), "");
        await talk.until("the wait", () =>
          talk.tools.some(({ name, status }) => name === "Wait for agents" && status === "running"),
        );
        const [child, ...others] = await childrenOf();
        expect(others).toEqual([]);
        await away();
        await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
        await caller.call("cancel_agent", { agentId: child?.agentId });
        await talk.untilIdle(seq);
        expect(talk.answer).toEndWith("It is done.");
        expect(talk.tools.map(({ name, status }) => [name, status])).toEqual([
          ["Create a coding agent", "complete"],
          ["Wait for agents", "complete"],
        ]);
        expect((await childrenOf()).map(({ agentId, outcome }) => [agentId, outcome])).toEqual([
          [child?.agentId ?? "", "cancelled"],
        ]);
        // One that was being started when the server was killed is ended by the next one.
        await waitFor(held, ({ length }) => length === 2, "a process for each of the two agents");
      },
      COMMANDS_TIMEOUT_MS,
    );

  it(
    "[SC-34] nothing is left at the place when the server stops while its agents use the tools",
    async () => {
      await talk.send(
        [toolLine("create_coding_agent", { agent: "guide", plan: "sleep" }), toolLine("wait_for_agents", {})].join(
          "\n",
        ),
      );
      await talk.until("the wait", () =>
        talk.tools.some(({ name, status }) => name === "Wait for agents" && status === "running"),
      );
      expect(findMarked(SOCKET_VARIABLE, socket()).length).toBeGreaterThan(0);
      await server.stop();
      expect(await server.processes.leftAfter(LEFT_MS)).toEqual([]);
      expect(findMarked(SOCKET_VARIABLE, socket())).toEqual([]);
      await server.start(surroundings);
      talk = await talk.joinedBy(await server.connect());
    },
    COMMANDS_TIMEOUT_MS,
  );
});
