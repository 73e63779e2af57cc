import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startModelServer } from "../agents/model-server/model-server.ts";
import { startTalk, type Talk } from "../integration/talk.ts";
import { pageLoginAgent } from "../lifecycle/page-login-agent.ts";
import { modelEnv } from "../orchestrator/model-env.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { DOCUMENTED_ERRORS, DOCUMENTED_TOOLS, matchesDocumented } from "./documented-tables.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";
import { modedAgent } from "./moded-agent.ts";

/** A session's own caller, a program outside, and the session itself, each over one transport. */
interface Scene {
  readonly own: McpCaller;
  readonly outside: McpCaller;
  readonly talk: Talk;
}
type Provoke = (scene: Scene) => Promise<string>;

const CHILDREN_MAX = 12;
const AGENTS = {
  broken: { name: "Broken", command: "/no/such/program", retryMs: [] },
  locked: pageLoginAgent(),
  asker: guideWith("--scenario", "two-permissions"),
  reckless: modedAgent("yolo"),
};

/** Runs with a child of its own, which is gone afterwards. */
async function withChild<Result>(
  own: McpCaller,
  given: Record<string, unknown>,
  act: (agentId: string) => Promise<Result>,
): Promise<Result> {
  const agentId = await own.create({ agent: "builtin", ...given });
  try {
    if (given["plan"] !== undefined) await own.wait({ agentIds: [agentId] });
    return await act(agentId);
  } finally {
    await own.call("kill_agent", { agentId });
  }
}

const refusedAnswer =
  (plan: string, given: Record<string, unknown>, agent = "builtin"): Provoke =>
  ({ own }) =>
    withChild(own, { plan, agent }, (agentId) => own.refusalOf("answer_agent", { agentId, ...given }));
const refusedCreation =
  (given: Record<string, unknown>): Provoke =>
  ({ own }) =>
    own.refusalOf("create_coding_agent", given);

/** How each error of the docs is met, by its text there. */
const ERRORS: Readonly<Record<string, Provoke>> = {
  "Agent not found": ({ own }) => own.refusalOf("get_agent_status", { agentId: "builtin:nobody" }),
  "Agent is dead: … was killed. Create another agent to continue.": async ({ own }) => {
    const agentId = await withChild(own, {}, async (id) => id);
    return own.refusalOf("send_agent_prompt", { agentId, prompt: "help" });
  },
  "Over the limit of …": async ({ own }) => {
    const made: string[] = [];
    try {
      while (made.length <= CHILDREN_MAX) made.push(await own.create({ agent: "builtin" }));
      return "not refused";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      for (const agentId of made) await own.call("kill_agent", { agentId });
    }
  },
  "Over budget: …": ({ own }) =>
    withChild(own, { plan: "help", budget: { turns: 1 } }, (agentId) =>
      own.refusalOf("send_agent_prompt", { agentId, prompt: "help" }),
    ),
  "idempotencyKey: already used for this tool with other arguments. …": ({ own }) => {
    const idempotencyKey = crypto.randomUUID();
    return withChild(own, { idempotencyKey, title: "One" }, () =>
      own.refusalOf("create_coding_agent", { idempotencyKey, title: "Two" }),
    );
  },
  'Unknown agent "…". Available: …': refusedCreation({ agent: "nobody" }),
  'mode: "…" is not offered. Choose one of: …': refusedCreation({ mode: "no-such-mode" }),
  "model: …": refusedCreation({ model: "no-such-model" }),
  'policy: "…" allows more than …': refusedCreation({ policy: "all" }),
  'mode: "…" may act without asking …': refusedCreation({ mode: "all" }),
  '… starts in the mode "…" …': refusedCreation({ agent: "reckless" }),
  "A rule forbids this tool here: …": async ({ own, talk: { client, sessionId } }) => {
    const rule = { effect: "deny", tool: "mcp:liminal/list_agents" } as const;
    const { rules } = await client.ask("policy:state", {
      ...{ type: "policy:set", scope: "session", sessionId, add: [rule] },
    });
    const said = await own.refusalOf("list_agents");
    const remove = rules.map(({ id }) => id);
    await client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, remove });
    return said;
  },
  "project: …": ({ outside }) => outside.refusalOf("create_coding_agent", { agent: "builtin" }),
  "Project path is invalid or inaccessible. …": ({ outside }) =>
    outside.refusalOf("create_coding_agent", { agent: "builtin", project: "/no/such/place" }),
  "Could not start …": refusedCreation({ agent: "broken" }),
  "… needs you to sign in first …": refusedCreation({ agent: "locked" }),
  "Only the user can allow this: …": refusedAnswer("run echo hello", { answer: "allow" }),
  "content: pass the question's fields …": refusedAnswer("ask", { answer: "allow" }),
  "Only the user can open a page. …": refusedAnswer("ask url", { answer: "allow" }),
  "This agent has no such open request. …": ({ own }) =>
    withChild(own, {}, (agentId) => own.refusalOf("answer_agent", { agentId, answer: "deny" })),
  "permissionId: it has … open requests. …": ({ own }) =>
    withChild(own, { agent: "asker", plan: "go" }, async (agentId) => {
      // Blocked by the first; the second may be a moment behind.
      for (;;) {
        const said = await own.refusalOf("answer_agent", { agentId, optionId: "no-such-option" });
        if (!said.startsWith("optionId")) return said;
      }
    }),
  "optionId: choose one of its options: …": refusedAnswer("run echo hello", { optionId: "no-such-option" }),
  'range.before: no entry "…" …': ({ own }) =>
    withChild(own, {}, (agentId) => own.refusalOf("get_agent_output", { agentId, range: { before: "nothing" } })),
  "cursor: pass the nextCursor …": ({ own }) =>
    withChild(own, {}, (agentId) => own.refusalOf("get_agent_changes", { agentId, cursor: "x" })),
  "No agents to wait for. …": ({ own }) => own.refusalOf("wait_for_agents"),
  "wake: only a session can be woken. …": ({ outside, talk: { projectId } }) =>
    outside.refusalOf("create_coding_agent", { project: projectId, wake: true }),
};

/** Told in the orchestrator's own turn, or by the program that cannot reach the tools: no tool says these. */
const TOLD_ELSEWHERE: Readonly<Record<string, () => Promise<string>>> = {
  "The model cannot be used. …": () => orchestratorFails({ LIMINAL_MODEL: "m" }),
  "The model at … answered 401: …": async () => {
    await using model = startModelServer();
    model.mishaps.push({ status: 401 });
    const { LIMINAL_MODEL_KEY: _, ...env } = modelEnv(model);
    return await orchestratorFails(env);
  },
  "Agent MCP failed to initialize …": async () => {
    const env = { ...server.processes.env, PATH: process.env["PATH"] ?? "", HOME: server.home };
    const child = Bun.spawn([process.execPath, "src/cli/main.ts", "mcp"], {
      env: { ...env, LIMINAL_DATA_DIR: server.dataDir, LIMINAL_MCP_TOKEN: "dead.token" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    return new Response(child.stderr).text();
  },
};

async function orchestratorFails(env: Record<string, string>): Promise<string> {
  await using own = await startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ agents: { builtin: { env } } })),
  });
  const talk = await startTalk(own);
  const { turn } = await talk.say("say: x");
  return turn.error?.message ?? "no error";
}

let server: TestServer;
let talk: Talk;
beforeAll(async () => {
  server = await startTestServer({ agents: AGENTS });
  talk = await startTalk(server);
});
afterAll(() => server[Symbol.asyncDispose]());

test("O-6 the table of errors in the docs and what is tried here are the same", () => {
  expect([...Object.keys(ERRORS), ...Object.keys(TOLD_ELSEWHERE)].sort()).toEqual([...DOCUMENTED_ERRORS].sort());
  expect(DOCUMENTED_ERRORS.length).toBeGreaterThan(20);
});

for (const [documented, provoke] of Object.entries(TOLD_ELSEWHERE))
  test(`O-6 O-8 as documented: ${documented}`, async () => {
    const said = await provoke();
    expect([said, matchesDocumented(said, documented)]).toEqual([said, true]);
  });

for (const [transport, connect] of [
  ["http", McpCaller.overHttp],
  ["stdio", McpCaller.overStdio],
] as const)
  describe(`O-1 O-6 over ${transport}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      const token = sessionToken(server, talk.sessionId);
      scene = { own: await connect(server, token), outside: await connect(server), talk };
    });
    afterAll(async () => {
      await scene.own[Symbol.asyncDispose]();
      await scene.outside[Symbol.asyncDispose]();
    });

    for (const [documented, provoke] of Object.entries(ERRORS))
      test(`as documented: ${documented}`, async () => {
        const said = await provoke(scene);
        expect([said, matchesDocumented(said, documented)]).toEqual([said, true]);
      });

    test("every tool of the docs is there and does its work", async () => {
      const { own } = scene;
      expect((await own.client.listTools()).tools.map(({ name }) => name).sort()).toEqual([...DOCUMENTED_TOOLS].sort());
      const called = new Set<string>();
      const call = (name: string, given: Record<string, unknown> = {}) => {
        called.add(name);
        return own.call(name, given);
      };
      const { agentId } = await call("create_coding_agent", { agent: "builtin" });
      expect(await call("send_agent_prompt", { agentId, prompt: "run echo documented" })).toEqual({ success: true });
      expect((await call("wait_for_agents", { agentIds: [agentId] }))["reason"]).toBe("blocked");
      expect(await call("answer_agent", { agentId, answer: "deny" })).toEqual({ success: true });
      expect((await call("wait_for_agents", { agentIds: [agentId] }))["reason"]).toBe("done");
      expect((await call("get_agent_status", { agentId }))["status"]).toBe("idle");
      expect((await call("get_agent_output", { agentId }))["outcome"]).toBe("done");
      expect(await call("get_agent_changes", { agentId })).toMatchObject({ files: [], total: 0 });
      expect(JSON.stringify(await call("list_agent_kinds"))).toContain("builtin");
      expect(JSON.stringify(await call("list_agents"))).toContain(String(agentId));
      expect(JSON.stringify(await call("search_sessions", { query: "documented" }))).toContain(String(agentId));
      expect((await call("read_conversation"))["entries"]).toBeArray();
      expect(await call("cancel_agent", { agentId })).toEqual({ success: true });
      expect(await call("kill_agent", { agentId })).toEqual({ success: true });
      expect([...called].sort()).toEqual([...DOCUMENTED_TOOLS].sort());
    });
  });
