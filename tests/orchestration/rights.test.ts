import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";
import { modedAgent } from "./moded-agent.ts";

test("X-20 (A2) the mode an agent starts in is judged: its most careful one is chosen, or it is refused", async () => {
  await using server = await startTestServer({
    agents: {
      eager: modedAgent("agent", "read-only", "agent-full-access"),
      planner: modedAgent("auto", "plan", "yolo"),
      reckless: modedAgent("act", "yolo"),
      modest: modedAgent(),
      "pi-acp": modedAgent("medium", "high"),
    },
  });
  const talk = await startTalk(server, "builtin");
  const { sessionId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const [{ path } = { path: "" }] = (await talk.client.ask("project:list", { type: "project:list" })).projects;
  const modeOf = async (id: string) => {
    const { config } = await talk.client.ask("session:history", { type: "session:open", sessionId: id });
    return config.options.find(({ category }) => category === "mode")?.currentValue;
  };

  const file = join(path, "by-the-child.txt");
  const child = await caller.create({ agent: "eager", plan: `write ${file}` });
  expect((await caller.wait({ agentIds: [child] })).reason).toBe("blocked");
  expect([await modeOf(child), existsSync(file)]).toEqual(["read-only", false]);
  expect(await caller.call("answer_agent", { agentId: child, answer: "deny" })).toEqual({ success: true });
  await caller.wait({ agentIds: [child] });
  expect(existsSync(file)).toBe(false);

  expect(await modeOf(await caller.create({ agent: "planner" }))).toBe("plan");
  // An agent without modes asks as the protocol has it.
  expect(await caller.create({ agent: "modest" })).toStartWith("modest:");
  const living = (await caller.list()).length;
  expect(await caller.refusalOf("create_coding_agent", { agent: "reckless" })).toBe(
    'reckless starts in the mode "act", which may act without asking, and none of its modes is known to ask (act, yolo), ' +
      "but this session must ask. Choose another agent with list_agent_kinds, or ask the user to change this session's permissions.",
  );
  expect(await caller.refusalOf("create_coding_agent", { agent: "pi-acp" })).toContain("none of its modes");
  // To name the mode it starts in anyway is no way around it.
  expect(await caller.refusalOf("create_coding_agent", { agent: "reckless", mode: "act" })).toContain(
    "may act without asking",
  );
  expect(await caller.list()).toHaveLength(living);

  // Whoever may do everything may have it done.
  await talk.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all" });
  expect(await modeOf(await caller.create({ agent: "reckless" }))).toBe("act");
});

test("X-20 X-22 (A2) where a rule denies something, a child has to ask: its rules reach no agent that never does", async () => {
  await using server = await startTestServer({
    agents: { eager: modedAgent("agent", "read-only"), reckless: modedAgent("act", "yolo") },
  });
  const talk = await startTalk(server, "builtin");
  const { sessionId, projectId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const [{ path } = { path: "" }] = (await talk.client.ask("project:list", { type: "project:list" })).projects;
  const own = { effect: "deny", tool: "mcp:liminal/kill_agent" } as const;
  await talk.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all", add: [own] });
  // A rule about our own tools is enforced by these.
  expect(await caller.create({ agent: "reckless" })).toStartWith("reckless:");
  const rule = { effect: "deny", path: "secret*" } as const;
  await talk.client.ask("policy:state", { type: "policy:set", scope: "project", projectId, add: [rule] });
  const [secret, plain] = [join(path, "secret.txt"), join(path, "plain.txt")];
  const child = await caller.create({ agent: "eager", policy: "all", plan: `write ${secret}` });
  await caller.wait({ agentIds: [child] });
  await caller.call("send_agent_prompt", { agentId: child, prompt: `write ${plain}` });
  // Denied by the rule; the rest is allowed by the mode, and nobody is asked.
  expect((await caller.wait({ agentIds: [child] })).reason).toBe("done");
  expect([existsSync(secret), existsSync(plain)]).toEqual([false, true]);
  expect(await caller.refusalOf("create_coding_agent", { agent: "reckless" })).toContain(
    "this session's deny rules only work for agents that ask",
  );
  expect(await caller.refusalOf("create_coding_agent", { agent: "eager", mode: "agent" })).toBe(
    'mode: "agent" may act without asking, but this session\'s deny rules only work for agents that ask. Choose a mode that asks.',
  );
});

test("X-22 (C1) a rule that denies one of our own tools holds for agents that never ask", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  const { sessionId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const rule = { effect: "deny", tool: "mcp:liminal/create_*" } as const;
  await talk.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, add: [rule] });
  expect(await caller.refusalOf("create_coding_agent")).toBe(
    "A rule forbids this tool here: Deny the tool mcp:liminal/create_*, in this session. Tell the user.",
  );
  expect(await caller.list()).toEqual([]);
});
