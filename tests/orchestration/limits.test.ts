import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SessionId } from "../../src/protocol/ids.ts";
import { startTalk, Talk } from "../integration/talk.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

function serverWith(orchestration: object, agents: object = {}): Promise<TestServer> {
  return startTestServer({
    prepare: (dataDir) => writeFile(join(dataDir, "config.json"), JSON.stringify({ orchestration, agents })),
  });
}

test("O-6 X-20 ten children, and five at work at once: the next is refused with advice, and reported to the user", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const busy = await Promise.all(Array.from({ length: 5 }, () => caller.create({ plan: "sleep" })));
  // Asked for all at once, not one more gets through.
  const refusals = await Promise.all(
    Array.from({ length: 3 }, () => caller.refusalOf("create_coding_agent", { plan: "sleep" })),
  );
  expect(new Set(refusals)).toEqual(
    new Set([
      "Over the limit of 5 for agents running at once. Wait for one with wait_for_agents, or stop one with cancel_agent.",
    ]),
  );
  expect(await caller.list()).toHaveLength(5);
  await talk.until("the notice", () =>
    talk.entries.some(({ type, content }) => type === "notice" && content.includes("limit of 5")),
  );
  const idle = await Promise.all(Array.from({ length: 5 }, () => caller.create({})));
  expect(await caller.refusalOf("create_coding_agent")).toStartWith("Over the limit of 10 for agents of one session.");
  expect(await caller.refusalOf("send_agent_prompt", { agentId: idle[0], prompt: "help" })).toContain("limit of 5");
  // Someone at work can always be told more: that waits its turn.
  expect(await caller.call("send_agent_prompt", { agentId: busy[0], prompt: "help" })).toEqual({ success: true });
  await caller.call("cancel_agent", { agentId: busy[1] });
  await caller.wait({ agentIds: [busy[1]] });
  expect(await caller.call("send_agent_prompt", { agentId: idle[0], prompt: "help" })).toEqual({ success: true });
  await caller.call("kill_agent", { agentId: idle[1] });
  expect(await caller.create({})).toStartWith("builtin:");
});

test("X-20 a budget of turns holds for the whole tree and over a kill -9; the user is notified once", async () => {
  await using server = await serverWith({ budget: { turns: 3 } });
  const talk = await startTalk(server, "builtin");
  const token = sessionToken(server, talk.sessionId);
  {
    await using caller = await McpCaller.overHttp(server, token);
    const child = await caller.create({ plan: "help" });
    await caller.wait();
    await using below = await McpCaller.overHttp(server, sessionToken(server, child));
    await below.create({ plan: "help" });
    await below.wait();
    await caller.call("send_agent_prompt", { agentId: child, prompt: "help" });
    await caller.wait();
  }
  await server.kill();
  await server.start();
  await using caller = await McpCaller.overHttp(server, token);
  const words = "Over budget: 3 of 3 turns used. Tell the user; only they can raise it.";
  expect(await caller.refusalOf("create_coding_agent", { plan: "help" })).toBe(words);
  expect(await caller.refusalOf("create_coding_agent")).toBe(words);
  const [child] = await caller.list();
  expect(await caller.refusalOf("send_agent_prompt", { agentId: child?.agentId, prompt: "help" })).toBe(words);
  const again = await talk.joinedBy(await server.connect());
  await again.until("the notice", () => again.shape.includes("notice"));
  expect(
    again.entries.filter(({ type, content }) => type === "notice" && content.includes("3 of 3 turns")),
  ).toHaveLength(1);
});

test("X-20 a child's own budget counts its work time, and what is below it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  // (C3) A turn that would never end is stopped when its time is spent, and says so.
  const child = await caller.create({ plan: "sleep", budget: { workMs: 500 } });
  const { reason, agents } = await caller.wait();
  expect([reason, agents[0]?.status, agents[0]?.outcome]).toEqual(["limit", "idle", "limit"]);
  expect(agents[0]?.why).toMatch(/^Over budget: \d+ of 500 ms of work used/);
  expect(agents[0]?.["left"]).toEqual({ workMs: 0 });
  expect(await caller.refusalOf("send_agent_prompt", { agentId: child, prompt: "help" })).toMatch(
    /^Over budget: \d+ of 500 ms of work used/,
  );
  // Its sister has a budget of her own.
  const sister = await caller.create({ plan: "help", budget: { turns: 1 } });
  await caller.wait({ agentIds: [sister] });
  expect(await caller.refusalOf("send_agent_prompt", { agentId: sister, prompt: "help" })).toContain("1 of 1 turns");
});

test("X-20 a child never has more rights than its parent", async () => {
  await using server = await serverWith({}, { free: { ...guideWith(), permissions: "all" } });
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  expect(await caller.refusalOf("create_coding_agent", { policy: "all" })).toContain(
    '"all" allows more than this session',
  );
  for (const mode of ["all", "edits"])
    expect(await caller.refusalOf("create_coding_agent", { mode })).toContain("may act without asking");
  expect(await caller.list()).toEqual([]);
  const looker = await caller.create({ mode: "read" });
  await caller.call("kill_agent", { agentId: looker });
  // This agent may do everything by itself, but not for a parent that may not.
  const child = await caller.create({ agent: "free", plan: "run echo hello" });
  expect((await caller.wait()).reason).toBe("blocked");
  expect(await caller.refusalOf("answer_agent", { agentId: child, answer: "allow" })).toContain(
    "Only the user can allow this",
  );
  expect(await caller.call("answer_agent", { agentId: child, answer: "deny" })).toEqual({ success: true });
  await caller.wait();
  const { sessionId } = talk;
  await talk.client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, mode: "all" });
  await caller.call("send_agent_prompt", { agentId: child, prompt: "run echo hello" });
  const { reason, agents } = await caller.wait();
  expect([reason, agents[0]?.outcome]).toEqual(["done", "done"]);
  // A narrower one may still ask, and then the parent may answer, since it may do the same itself.
  const narrow = await caller.create({ policy: "ask", plan: "run echo narrow" });
  expect((await caller.wait({ agentIds: [narrow] })).reason).toBe("blocked");
  expect(await caller.call("answer_agent", { agentId: narrow, answer: "allow" })).toEqual({ success: true });
  expect((await caller.wait({ agentIds: [narrow] })).reason).toBe("done");
});

test("X-20 X-7 the user's choices are not handed on to children, and theirs do not become the user's", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  const { client, sessionId, projectId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const modeOf = async (id: string) => {
    const { config } = await client.ask("session:history", { type: "session:open", sessionId: id });
    return config.options.find(({ category }) => category === "mode")?.currentValue;
  };
  await client.ask("session:config", { type: "session:configure", sessionId, configId: "mode", value: "all" });
  expect(await modeOf(await caller.create({}))).toBe("ask");
  // The session's own mode it may hand on, since it has it.
  expect(await modeOf(await caller.create({ mode: "all" }))).toBe("all");
  await caller.create({ mode: "read" });
  const { sessionId: next } = await client.ask("session:created", {
    type: "session:create",
    projectId,
    cliType: "builtin",
  });
  expect(await modeOf(next)).toBe("all");
});

test("O-3 keepChildren: children go on when their parent is ended", async () => {
  await using server = await serverWith({ keepChildren: true });
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const child = await caller.create({ plan: "sleep" });
  await talk.client.ask("ok", { type: "session:kill", sessionId: talk.sessionId });
  const { turn } = await talk.client.ask("session:history", { type: "session:open", sessionId: child });
  expect(turn.state).toBe("running");
});

test("O-3 deleting a parent ends its children, which stay to be read", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const child = await caller.create({ plan: "sleep" });
  await talk.client.ask("session:deleted", { type: "session:delete", sessionId: talk.sessionId });
  const sessionId = SessionId.parse(child);
  const { archived } = await talk.client.ask("session:history", { type: "session:open", sessionId });
  expect(archived).toBe(true);
  // The deletion is answered at once; the turn counts as cancelled when the child's agent has stopped.
  const { turn } = await new Talk(talk.client, talk.projectId, sessionId).untilIdle();
  expect(turn.stopReason).toBe("cancelled");
});

test("O-3 archiving a parent ends its children and takes them from the list with it", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const child = await caller.create({ plan: "sleep" });
  await talk.client.ask("session:archived", { type: "session:archive", sessionId: talk.sessionId });
  const { projectId } = talk;
  const shown = await talk.client.ask("session:list", { type: "session:list", projectId });
  expect(shown.sessions).toEqual([]);
  const all = await talk.client.ask("session:list", { type: "session:list", projectId, includeArchived: true });
  expect(all.sessions.find(({ id }) => id === child)?.archived).toBe(true);
  await talk.client.until("the end of the child's turn", () =>
    talk.client.all("session:turn").some(({ sessionId, turn }) => sessionId === child && turn.state === "idle"),
  );
});
