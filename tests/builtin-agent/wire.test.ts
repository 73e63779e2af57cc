import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentDriver } from "./agent-driver.ts";
import { at, failureCode, updateOf } from "./message.ts";
import { isAlive, waitUntilGone } from "./process-watch.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const POLL_MS = 5;
const STREAM_BEGUN_BYTES = 10_000;

test("junk, arrays, odd ids and unknown methods are answered as JSON-RPC specifies", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  agent.sendLine("no json");
  agent.sendLine("[]");
  agent.sendLine("");
  agent.sendLine('{"jsonrpc":"2.0","id":{},"method":"initialize"}');
  expect(await failureCode(agent.request("session/new", { cwd: agent.cwd, mcpServers: [] }))).toBe(-32600);
  expect(agent.messages.slice(0, 3).map((message) => [message["id"], at(message, "error", "code")])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
  ]);
  expect(await agent.requestWithId("a string", "initialize", { protocolVersion: 7 })).toMatchObject({
    protocolVersion: 1,
  });
  expect(await failureCode(agent.request("session/fork", {}))).toBe(-32601);
  expect(await failureCode(agent.request("authenticate", { methodId: "any" }))).toBe(-32602);
});

test("a prompt that is not made of content blocks is refused with -32602", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  for (const prompt of ["text", [{ type: "text" }], [{ type: "hologram" }], ["x"]]) {
    expect(await failureCode(agent.request("session/prompt", { sessionId, prompt }))).toBe(-32602);
  }
  expect(await agent.prompt(sessionId, [])).toEqual({ stopReason: "end_turn" });
});

test("X-1 a big prompt in one line is read and stored exactly", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const sessionId = await agent.open();
  const text = Array.from({ length: 600_000 }, (_, index) => `№${index} `).join("");
  await agent.prompt(sessionId, [{ type: "text", text }]);
  const from = agent.messages.length;
  await agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(agent.text(from, "user_message_chunk") === text).toBe(true);
});

test("a line beyond the limit is refused, and the connection stays open", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  agent.sendLine(`{"jsonrpc":"2.0","id":1,"method":"x","params":"${"x".repeat(64 * 1024 * 1024)}"}`);
  expect(await agent.waitFor(({ id }) => id === null)).toMatchObject({ error: { code: -32600 } });
  expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
});

test("TC-5.3a closing stdin ends the process with 0, and its running commands with it", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const pid = await startSleep(agent);
  agent.closeStdin();
  expect(await agent.ended()).toBe(0);
  await waitUntilGone(pid);
});

test("TC-5.3a SIGTERM ends the process with 0, and its running commands with it", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const pid = await startSleep(agent);
  expect(isAlive(pid)).toBe(true);
  agent.kill("SIGTERM");
  expect(await agent.ended()).toBe(0);
  await waitUntilGone(pid);
});

test("X-21 a killed agent takes its running commands along", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path });
  const pid = await startSleep(agent);
  expect(isAlive(pid)).toBe(true);
  agent.kill("SIGKILL");
  await agent.ended();
  await waitUntilGone(pid);
});

async function startSleep(agent: AgentDriver): Promise<number> {
  const sessionId = await agent.open();
  agent.answerPermissions("allow-once");
  const prompt = [{ type: "text", text: "run trap '' TERM; sleep 300 & echo $!; wait" }];
  agent.send({ jsonrpc: "2.0", id: 1_000, method: "session/prompt", params: { sessionId, prompt } });
  const output = (message: object) => String(at(message, "params", "update", "content", 0, "content", "text"));
  const shown = await agent.waitFor((message) => updateOf(message) !== undefined && /^\d+\n$/.test(output(message)));
  return Number(output(shown));
}

test("X-1 LIMINAL_GUIDE_RECORD keeps every byte that went to stdout", async () => {
  using directory = temporaryDirectory();
  const record = join(directory.path, "record.jsonl");
  await using agent = new AgentDriver({ directory: directory.path, env: { LIMINAL_GUIDE_RECORD: record } });
  const sessionId = await agent.open();
  await agent.prompt(sessionId, "stream 5000 words");
  await agent.prompt(sessionId, "scenario junk-output");
  await agent.prompt(sessionId, "all");
  agent.closeStdin();
  await agent.ended();
  expect(readFileSync(record, "utf8")).toBe(agent.lines.map((line) => `${line}\n`).join(""));
});

test("sessions go to ~/.liminal-builder/guide when no directory is named", async () => {
  using directory = temporaryDirectory();
  await using agent = new AgentDriver({ directory: directory.path, env: { LIMINAL_GUIDE_DIR: "" } });
  const sessionId = await agent.open();
  expect(existsSync(join(directory.path, ".liminal-builder", "guide", `${sessionId}.jsonl`))).toBe(true);
});

test("--without takes abilities away: not advertised, and -32601 when called", async () => {
  using directory = temporaryDirectory();
  const flags = ["--without", "load,resume,list,close,delete,modes,config,commands"];
  await using agent = new AgentDriver({ directory: directory.path, flags });
  expect(await agent.initialize()).toMatchObject({
    agentCapabilities: { loadSession: false, sessionCapabilities: {} },
  });
  expect(at(await agent.initialize(), "agentCapabilities", "sessionCapabilities")).toEqual({});
  const created = await agent.request("session/new", { cwd: agent.cwd, mcpServers: [] });
  expect(Object.keys(created)).toEqual(["sessionId"]);
  const params = { ...created, cwd: agent.cwd, mcpServers: [], configId: "voice", value: "brief", modeId: "ask" };
  for (const name of ["load", "resume", "list", "close", "delete", "set_mode", "set_config_option"]) {
    expect(await failureCode(agent.request(`session/${name}`, params))).toBe(-32601);
  }
  expect(agent.updates()).toEqual([]);
});

test("TC-5.4a --start-delay-ms delays the first answer", async () => {
  using directory = temporaryDirectory();
  const startedAt = performance.now();
  await using agent = new AgentDriver({ directory: directory.path, flags: ["--start-delay-ms", "300"] });
  await agent.initialize();
  expect(performance.now() - startedAt).toBeGreaterThan(300);
});

test("an invalid command line ends with 2 and the reason", async () => {
  using directory = temporaryDirectory();
  for (const [flags, reason] of [
    [["--scenario", "crsh"], "Unknown scenario crsh"],
    [["--without", "legs"], "--without takes"],
    [["--scenario"], "--scenario needs a value"],
    [["--colour", "red"], "Unknown flag --colour"],
    [["--start-delay-ms", "soon"], "takes a number"],
  ] as const) {
    await using agent = new AgentDriver({ directory: directory.path, flags: [...flags] });
    expect(await agent.ended()).toBe(2);
    expect(await agent.stderr).toContain(reason);
  }
});

test("a reader that stops reading stops the stream instead of filling the agent's memory", async () => {
  using directory = temporaryDirectory();
  const main = join(import.meta.dir, "../../builtin-agent/main.ts");
  const child = Bun.spawn([process.execPath, main], {
    env: { HOME: directory.path, LIMINAL_GUIDE_DIR: directory.path },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const reader = child.stdout.getReader();
  send({ id: 1, method: "initialize", params: {} });
  send({ id: 2, method: "session/new", params: { cwd: directory.path, mcpServers: [] } });
  let seen = "";
  while (!/"id":2,"result":{"sessionId":"([^"]+)"/.test(seen))
    seen += new TextDecoder().decode((await reader.read()).value);
  const sessionId = /"sessionId":"([^"]+)"/.exec(seen)?.[1];
  send({
    id: 3,
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "stream 1000000 words" }] },
  });
  await child.stdin.flush();
  const file = join(directory.path, `${sessionId}.jsonl`);
  const size = () => Bun.file(file).size;
  while (size() < STREAM_BEGUN_BYTES) await Bun.sleep(POLL_MS);
  // Its input is still read, so it keeps running: while it creates another session, a stream that could continue would.
  for (let before = -1; before !== size(); ) {
    before = size();
    const sessions = readdirSync(directory.path).length;
    send({ id: 4, method: "session/new", params: { cwd: directory.path, mcpServers: [] } });
    await child.stdin.flush();
    while (readdirSync(directory.path).length === sessions) await Bun.sleep(POLL_MS);
  }
  expect(size()).toBeLessThan(6_000_000);
  child.kill("SIGKILL");
  await child.exited;
});
