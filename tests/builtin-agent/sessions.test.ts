import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentDriver } from "./agent-driver.ts";
import { at, failureCode, type Message, updateOf } from "./message.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** What a session's transcript looks like after a replay: kind and text. */
function transcript(updates: readonly Message[]): string[] {
  return updates
    .filter((update) => update["sessionUpdate"] !== "available_commands_update")
    .map((update) => `${update["sessionUpdate"]}: ${at(update, "content", "text") ?? update["status"] ?? ""}`);
}

const ids = (answer: Message) => {
  const { sessions } = answer;
  return Array.isArray(sessions) ? sessions.map((session) => String(at(session, "sessionId"))) : [];
};

test("X-1 W-4 after SIGKILL in a turn, load replays all messages, before its answer", async () => {
  using directory = temporaryDirectory();
  let sessionId = "";
  {
    await using agent = new AgentDriver({ directory: directory.path });
    sessionId = await agent.open();
    agent.answerPermissions("allow-once");
    await agent.prompt(sessionId, "stream 9 words");
    await agent.prompt(sessionId, "run echo kept");
    const from = agent.messages.length;
    agent.send({
      jsonrpc: "2.0",
      id: "x",
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: "run sleep 30" }] },
    });
    await agent.waitFor((message) => updateOf(message)?.["status"] === "in_progress", from);
    agent.kill("SIGKILL");
    await agent.ended();
  }
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  const answer = await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(transcript(agent.updates())).toEqual([
    "user_message_chunk: stream 9 words",
    "agent_message_chunk: w1 w2 w3 w4 w5 w6 w7 w8 w9",
    "user_message_chunk: run echo kept",
    "tool_call: completed",
    "agent_message_chunk: The command succeeded.",
    "user_message_chunk: run sleep 30",
    "tool_call: failed",
  ]);
  // Commands and options may still follow the answer; messages may not.
  const isTalk = (message: Message) => /_chunk$|^tool_call/.test(String(updateOf(message)?.["sessionUpdate"]));
  const answeredAt = agent.messages.findLastIndex((message) => "result" in message);
  expect(agent.messages.findLastIndex(isTalk)).toBeLessThan(answeredAt);
  expect(at(agent.tools()[0], "content", 0, "content", "text")).toBe("kept\n");
  expect(answer).toHaveProperty("configOptions");
  expect(await agent.prompt(sessionId, "stream 1 words")).toEqual({ stopReason: "end_turn" });
});

test("W-4 resume restores settings and permissions without any replay", async () => {
  using directory = temporaryDirectory();
  let sessionId = "";
  {
    await using agent = new AgentDriver({ directory: directory.path });
    sessionId = await agent.open();
    agent.answerPermissions("allow-always");
    await agent.request("session/set_config_option", { sessionId, configId: "voice", value: "detailed" });
    await agent.prompt(sessionId, "run true");
    agent.kill("SIGKILL");
    await agent.ended();
  }
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  expect(await failureCode(agent.prompt(sessionId, "help"))).toBe(-32002);
  const answer = await agent.request("session/resume", { sessionId, cwd: agent.cwd });
  expect(at(answer, "configOptions", 1)).toMatchObject({ id: "voice", currentValue: "detailed" });
  await agent.waitForUpdate("available_commands_update");
  expect(transcript(agent.updates())).toEqual([]);
  const asked = agent.answerPermissions("reject-once");
  await agent.prompt(sessionId, "run true");
  expect(asked).toHaveLength(0);
  expect(agent.text()).toBe("The command `true` succeeded.");
});

test("X-1 a line torn by a kill is skipped and does not swallow the next one", async () => {
  using directory = temporaryDirectory();
  let sessionId = "";
  {
    await using agent = new AgentDriver({ directory: directory.path });
    sessionId = await agent.open();
    await agent.prompt(sessionId, "stream 2 words");
  }
  appendFileSync(join(directory.path, ".guide", `${sessionId}.jsonl`), '{"type":"update","upda');
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  await agent.request("session/resume", { sessionId, cwd: agent.cwd });
  await agent.prompt(sessionId, "stream 3 words");
  const from = agent.messages.length;
  await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(agent.text(from)).toBe("w1 w2w1 w2 w3");
  expect(agent.text(from, "user_message_chunk")).toBe("stream 2 wordsstream 3 words");
});

test("session files are private", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.open();
  const store = join(directory.path, ".guide");
  expect(statSync(store).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(store)) expect(statSync(join(store, file)).mode & 0o777).toBe(0o600);
});

test("X-12 list filters by directory, pages with a cursor, gives no title and survives a restart", async () => {
  using directory = temporaryDirectory();
  const other = join(directory.path, "other");
  mkdirSync(other);
  const made: string[] = [];
  let elsewhere = "";
  {
    await using agent = new AgentDriver({ directory: directory.path });
    await agent.initialize();
    for (let count = 0; count < 55; count += 1) made.push(await agent.newSession());
    elsewhere = String((await agent.request("session/new", { cwd: other, mcpServers: [] }))["sessionId"]);
  }
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  const first = await agent.request("session/list", { cwd: agent.cwd });
  expect(ids(first)).toHaveLength(50);
  const second = await agent.request("session/list", { cwd: agent.cwd, cursor: first["nextCursor"] });
  expect(second).not.toHaveProperty("nextCursor");
  expect([...ids(first), ...ids(second)].sort()).toEqual([...made].sort());
  expect(ids(await agent.request("session/list", { cwd: other }))).toEqual([elsewhere]);
  expect(at(first, "sessions", 0)).toMatchObject({ cwd: agent.cwd });
  expect(at(first, "sessions", 0)).not.toHaveProperty("title");
  expect(await failureCode(agent.request("session/list", { cursor: "bm9uc2Vuc2U" }))).toBe(-32602);
});

/** File times move in steps; waits until a file written now is newer, by the milliseconds that are listed, than all before. */
async function clockTick(directory: string): Promise<void> {
  const probe = join(directory, "probe");
  const touch = () => {
    writeFileSync(probe, "");
    return statSync(probe).mtime.getTime();
  };
  for (const before = touch(); touch() === before; ) await new Promise((resolve) => setImmediate(resolve));
}

test("the session used last is listed first", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const older = await agent.open();
  const newer = await agent.newSession();
  await clockTick(directory.path);
  await agent.prompt(older, "stream 1 words");
  expect(ids(await agent.request("session/list", {}))).toEqual([older, newer]);
});

test("close cancels the turn and frees the session; its history can be loaded again", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  const turn = agent.prompt(sessionId, "sleep");
  await agent.waitForUpdate("agent_message_chunk");
  expect(await agent.request("session/close", { sessionId })).toEqual({});
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(await failureCode(agent.prompt(sessionId, "help"))).toBe(-32002);
  expect(await failureCode(agent.request("session/close", { sessionId }))).toBe(-32002);
  const from = agent.messages.length;
  await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(agent.text(from)).toBe("Sleeping until you cancel.");
});

test("delete removes the file even in a turn, and may be repeated", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  const turn = agent.prompt(sessionId, "sleep");
  await agent.waitForUpdate("agent_message_chunk");
  expect(await agent.request("session/delete", { sessionId })).toEqual({});
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(await agent.request("session/delete", { sessionId })).toEqual({});
  expect(readdirSync(join(directory.path, ".guide"))).toEqual([]);
  const load = agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(await failureCode(load)).toBe(-32002);
});

test("unknown ids are -32002, also those that try to be paths", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  for (const sessionId of ["nobody", "../../etc/passwd", "a/b"]) {
    for (const method of ["session/load", "session/resume", "session/prompt", "session/set_config_option"]) {
      const params = { sessionId, cwd: agent.cwd, mcpServers: [], prompt: [], configId: "voice", value: "brief" };
      expect(await failureCode(agent.request(method, params))).toBe(-32002);
    }
  }
});

test("bad directories and missing mcpServers are refused with -32602", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  for (const params of [
    { cwd: "relative", mcpServers: [] },
    { cwd: join(directory.path, "missing"), mcpServers: [] },
    { mcpServers: [] },
    { cwd: directory.path },
  ]) {
    expect(await failureCode(agent.request("session/new", params))).toBe(-32602);
  }
});

test("X-7 config options: the whole list is answered, voice changes answers, mode and its legacy form agree", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  await agent.initialize();
  const created = await agent.request("session/new", { cwd: agent.cwd, mcpServers: [] });
  const sessionId = String(created["sessionId"]);
  expect(created["configOptions"]).toMatchObject([
    { id: "mode", category: "mode", type: "select", currentValue: "ask" },
    { id: "voice", type: "select", currentValue: "brief", options: [{ name: "Brief" }, { name: "Detailed" }] },
  ]);
  expect(created["modes"]).toMatchObject({ currentModeId: "ask" });
  await agent.prompt(sessionId, "help");
  const brief = agent.text();
  const changed = await agent.request("session/set_config_option", { sessionId, configId: "voice", value: "detailed" });
  expect(changed["configOptions"]).toMatchObject([{ currentValue: "ask" }, { currentValue: "detailed" }]);
  const from = agent.messages.length;
  await agent.prompt(sessionId, "help");
  expect(agent.text(from).length).toBeGreaterThan(brief.length);
  await agent.request("session/set_config_option", { sessionId, configId: "mode", value: "all" });
  const told = await agent.waitForUpdate("current_mode_update");
  expect(at(told, "params", "update", "currentModeId")).toBe("all");
  await agent.request("session/set_mode", { sessionId, modeId: "edits" });
  const update = await agent.waitForUpdate("config_option_update");
  expect(at(update, "params", "update", "configOptions", 0, "currentValue")).toBe("edits");
  for (const wrong of [
    { configId: "voice", value: "loud" },
    { configId: "colour", value: "red" },
  ]) {
    expect(await failureCode(agent.request("session/set_config_option", { sessionId, ...wrong }))).toBe(-32602);
  }
});

test("X-7 the boolean option is there only for clients that support booleans, and works", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open({ session: { configOptions: { boolean: {} } } });
  const params = { sessionId, configId: "thoughts", type: "boolean", value: true };
  const changed = await agent.request("session/set_config_option", params);
  expect(at(changed, "configOptions", 2)).toMatchObject({ id: "thoughts", type: "boolean", currentValue: true });
  await agent.prompt(sessionId, "help");
  expect(agent.text(0, "agent_thought_chunk")).toContain("help");
});
