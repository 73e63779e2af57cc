import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SCENARIOS } from "../../builtin-agent/scenarios/catalog.ts";
import { AgentDriver } from "./agent-driver.ts";
import { at, failureCode } from "./message.ts";
import { isAlive, waitUntilGone } from "./process-watch.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const END_TURN = { stopReason: "end_turn" };

/** An agent with that scenario as a flag, with a session open. */
async function withScenario(
  name: string,
  use: (agent: AgentDriver, sessionId: string) => Promise<void>,
): Promise<void> {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, flags: ["--scenario", name] });
  await use(agent, await agent.open());
}

test("the README has a row for each scenario and none besides", () => {
  const readme = readFileSync(join(import.meta.dir, "../../builtin-agent/README.md"), "utf8");
  const table = readme.slice(readme.indexOf("## Scenarios"));
  const rows = [...table.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
  expect(rows).toEqual(SCENARIOS.map(({ name }) => name));
});

test("crash-at-start: exit 1 with a reason on stderr", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, flags: ["--scenario", "crash-at-start"] });
  expect(await agent.ended()).toBe(1);
  expect(await agent.stderr).toContain("cannot start");
  expect(agent.lines).toEqual([]);
});

test("hang-at-start: initialize is never answered, while the process runs and listens", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, flags: ["--scenario", "hang-at-start"] });
  agent.send({ jsonrpc: "2.0", id: "first", method: "initialize", params: { protocolVersion: 1 } });
  expect(await failureCode(agent.request("session/new", {}))).toBe(-32600);
  expect(agent.messages.map(({ id }) => id)).not.toContain("first");
});

test("initialize-error and future-version", async () => {
  using directory = temporaryDirectory();
  await using refusing = new AgentDriver({ directory: directory.path, flags: ["--scenario", "initialize-error"] });
  expect(await failureCode(refusing.initialize())).toBe(-32603);
  await using future = new AgentDriver({ directory: directory.path, flags: ["--scenario", "future-version"] });
  expect(await future.initialize()).toMatchObject({ protocolVersion: 99 });
});

test("crash-mid-turn: a chunk and a running tool call, no result, exit 1; load shows how far it got", async () => {
  using directory = temporaryDirectory();
  let sessionId = "";
  {
    await using agent = new AgentDriver({ directory: directory.path, flags: ["--scenario", "crash-mid-turn"] });
    sessionId = await agent.open();
    agent.send({ jsonrpc: "2.0", id: 50, method: "session/prompt", params: { sessionId, prompt: [] } });
    expect(await agent.ended()).toBe(1);
    expect(agent.text()).toBe("This turn will not end well.");
    expect(agent.tools()).toMatchObject([{ status: "in_progress" }]);
    expect(agent.messages.some(({ id }) => id === 50)).toBe(false);
  }
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(agent.text()).toBe("This turn will not end well.");
  expect(agent.tools()).toMatchObject([{ status: "failed" }]);
});

test("deaf-to-exit: neither a closed stdin nor SIGTERM ends it", async () => {
  await withScenario("deaf-to-exit", async (agent, sessionId) => {
    agent.kill("SIGTERM");
    expect(await agent.prompt(sessionId, "stream 1 words")).toEqual(END_TURN);
    agent.closeStdin();
    await agent.waitForStderr(/(still here.*){2}/s);
    expect(isAlive(agent.pid)).toBe(true);
  });
});

test("stderr-noise: a lot of stderr and a normal answer", async () => {
  await withScenario("stderr-noise", async (agent, sessionId) => {
    expect(await agent.prompt(sessionId, "stream 2 words")).toEqual(END_TURN);
    expect(agent.text()).toBe("Noise on stderr: done.w1 w2");
    agent.closeStdin();
    await agent.ended();
    expect((await agent.stderr).length).toBeGreaterThan(1_000_000);
  });
});

test("spawn-children: a child in the group and a daemon outside it outlive the agent", async () => {
  await withScenario("spawn-children", async (agent, sessionId) => {
    await agent.prompt(sessionId, "stream 1 words");
    const [, child, daemon] = /child (\d+) daemon (\d+)/.exec(agent.text()) ?? [];
    const pids = [Number(child), Number(daemon)];
    const groups = pids.map((pid) => Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[2]));
    expect(groups[0]).not.toBe(pids[0]);
    expect(groups[1]).toBe(pids[1]);
    agent.closeStdin();
    await agent.ended();
    expect(pids.map(isAlive)).toEqual([true, true]);
    for (const pid of pids) {
      process.kill(pid, "SIGKILL");
      await waitUntilGone(pid);
    }
  });
});

test("auth-required: -32000 with the method, until authenticate", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, flags: ["--scenario", "auth-required"] });
  expect(await agent.initialize()).toMatchObject({ authMethods: [{ id: "guide-sign-in" }] });
  expect(await failureCode(agent.newSession())).toBe(-32000);
  expect(await failureCode(agent.request("authenticate", { methodId: "other" }))).toBe(-32602);
  expect(await agent.request("authenticate", { methodId: "guide-sign-in" })).toEqual({});
  expect(await agent.prompt(await agent.newSession(), "help")).toEqual(END_TURN);
});

test("refused-new: session/new answers -32603", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, flags: ["--scenario", "refused-new"] });
  await agent.initialize();
  expect(await failureCode(agent.newSession())).toBe(-32603);
});

test("update-before-new: the commands come before the session's id is known", async () => {
  await withScenario("update-before-new", async (agent, sessionId) => {
    expect(agent.messages.at(-2)).toMatchObject({ method: "session/update", params: { sessionId } });
    expect(agent.messages.at(-1)).toMatchObject({ result: { sessionId } });
  });
});

test("permission-after-new: a question outside any turn", async () => {
  await withScenario("permission-after-new", async (agent, sessionId) => {
    const asked = await agent.waitFor(({ method }) => method === "session/request_permission");
    expect(asked).toMatchObject({ params: { sessionId, toolCall: { toolCallId: "before-any-turn" } } });
  });
});

test("late-replay and replay-on-resume: history at the wrong time, switched on by prompt", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  await agent.prompt(sessionId, "stream 3 words");
  await agent.prompt(sessionId, "scenario late-replay");
  const from = agent.messages.length;
  await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(agent.messages[from]).toHaveProperty("result");
  await agent.waitForUpdate("available_commands_update", from);
  expect(agent.text(from)).toStartWith("w1 w2 w3");
  await agent.prompt(sessionId, "scenario replay-on-resume");
  const resumedFrom = agent.messages.length;
  await agent.request("session/resume", { sessionId, cwd: agent.cwd });
  await agent.waitForUpdate("available_commands_update", resumedFrom);
  expect(agent.text(resumedFrom)).toStartWith("w1 w2 w3");
});

test("unknown scenarios are named in words, and start-only ones cannot be prompted", async () => {
  await withScenario("string-ids", async (agent, sessionId) => {
    await agent.prompt(sessionId, "scenario nonsense");
    await agent.prompt(sessionId, "scenario crash-at-start");
    expect(agent.text()).toContain("no scenario `nonsense`");
    expect(agent.text()).toContain("only be played at start");
    expect(at(await agent.request("session/list", {}), "sessions", 0, "sessionId")).toBe(sessionId);
  });
});
