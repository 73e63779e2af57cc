import { expect, test } from "bun:test";
import { TERMINAL_CREDIT_BYTES } from "../../src/protocol/limits.ts";
import type { TerminalInfo } from "../../src/protocol/terminals.ts";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { sessionToken } from "../orchestration/mcp-caller.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { Screen, TerminalView } from "./screen.ts";

const LEFT_MS = 20_000;

async function openIn(server: TestServer, client: SocketClient): Promise<{ terminalId: string; path: string }> {
  const path = await server.directory(crypto.randomUUID());
  const { project } = await client.ask("project:added", {
    type: "project:add",
    commandId: crypto.randomUUID(),
    path,
  });
  const { terminalId } = await client.ask("terminal:opened", { type: "terminal:open", projectId: project.id });
  return { terminalId, path };
}

async function listed(client: SocketClient): Promise<readonly TerminalInfo[]> {
  return (await client.ask("terminal:list", { type: "terminal:list" })).terminals;
}

/** The last line of a command's output, and the prompt after it: then nothing more comes. */
const done = (line: string) => new RegExp(`${line}\\n[#$]$`);

const running = (server: TestServer, text: string) =>
  server.processes.alive().filter(({ commandLine }) => commandLine.includes(text));

test("[WS-39] a second client, a refreshed one and one after a kill of the server show the same screen", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { terminalId, path } = await openIn(server, client);
  const stayed = await TerminalView.attach(client, terminalId);
  stayed.type("pwd; seq 300; printf '\\033[?2004h\\033[1;31mred\\033[0m '; echo o''k\r");
  expect(await stayed.shows(done("ok"))).toContain("300");
  const second = await TerminalView.attach(await server.connect(), terminalId);
  await second.shows(done("ok"));
  expect(await second.screen.state()).toBe(await stayed.screen.state());
  // A client that does not ask for binary frames gets the same as text.
  const reader = await server.connect();
  using asText = new Screen();
  asText.attached(await reader.ask("terminal:attached", { type: "terminal:attach", terminalId }));
  const last = await reader.next("terminal:output", (message) => message.offset === stayed.screen.offset, 0);
  for (const message of reader.all("terminal:output")) asText.write(message.data);
  expect(last).not.toHaveProperty("skipped");
  expect(await asText.state()).toBe(await stayed.screen.state());
  expect(reader.outputs).toEqual([]);

  const { offset } = stayed.screen;
  await server.kill();
  await server.start();
  const after = await server.connect();
  expect(await listed(after)).toMatchObject([{ terminalId, cwd: path, kind: "shell", title: "sh", end: null }]);
  const fresh = await TerminalView.attach(after, terminalId);
  await fresh.shows(done("ok"));
  expect(await fresh.screen.state()).toBe(await stayed.screen.state());
  const back = await TerminalView.attach(await server.connect(), terminalId, { screen: stayed.screen, after: offset });
  back.type("echo still $((40+2))\r");
  await back.shows(done("still 42"));
  await fresh.shows(done("still 42"));
  expect(await fresh.screen.state()).toBe(await back.screen.state());
});

test("[WS-40] beside a flood other terminals answer, memory stays bounded, and Ctrl-C ends it", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const flooded = await TerminalView.attach(client, (await openIn(server, client)).terminalId);
  flooded.type("yes flood\r");
  // Nothing is acknowledged: the output stops at the credit.
  const bytesOf = () =>
    client.outputs
      .filter(({ terminalId }) => terminalId === flooded.terminalId)
      .reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  await client.until("as much output as the client has credit for", () => bytesOf() > TERMINAL_CREDIT_BYTES - 4_096);

  const other = await TerminalView.attach(client, (await openIn(server, client)).terminalId);
  other.type("echo $((6*7)) here\r");
  await other.shows("42 here");
  expect(bytesOf()).toBeLessThanOrEqual(TERMINAL_CREDIT_BYTES);

  // Acknowledged, it flows again. A busy kernel passes the stop on late: then some is skipped, but never torn.
  const start = flooded.screen.offset;
  flooded.take();
  await client.until("more output", () => {
    flooded.take();
    return flooded.screen.offset > start + 4 * TERMINAL_CREDIT_BYTES;
  });
  const lines = (await flooded.screen.text()).split("\n");
  expect(lines.filter((line) => !"flood".startsWith(line))).toEqual([]);
  flooded.type("\x03");
  flooded.type("echo $((20+3)) ended\r");
  await flooded.shows("23 ended");
  expect(running(server, "yes flood")).toEqual([]);
});

test("[WS-40] where the terminal cannot be stopped, a slow client skips ahead and is notified", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const view = await TerminalView.attach(client, (await openIn(server, client)).terminalId);
  view.type("stty -ixon; seq 400000; printf '\\033[4mend'; echo of it\r");
  const watcher = await TerminalView.attach(await server.connect(), view.terminalId);
  await watcher.shows(done("endof it"));
  await view.shows(done("endof it"));
  expect(view.screen.skipped).toBeGreaterThan(1_000_000);
  expect(await view.screen.state()).toBe(await watcher.screen.state());
});

test("[WS-41] the size follows the client that typed last", async () => {
  await using server = await startTestServer();
  const [one, other] = [await server.connect(), await server.connect()];
  const { terminalId } = await openIn(server, one);
  const first = await TerminalView.attach(one, terminalId);
  const second = await TerminalView.attach(other, terminalId);
  const resize = (client: SocketClient, columns: number, rows: number) =>
    client.ask("ok", { type: "terminal:resize", terminalId, columns, rows });
  await resize(one, 100, 30);
  first.type("stty size\r");
  await second.shows("30 100");
  // Only looking on changes nothing.
  await resize(other, 60, 20);
  first.type("echo now $(stty size)\r");
  await first.shows("now 30 100");
  second.type("echo then $(stty size)\r");
  await first.shows("then 20 60");
  expect(await listed(one)).toMatchObject([{ columns: 60, rows: 20 }]);
  await resize(one, 90, 25);
  await resize(other, 70, 22);
  second.type("echo last $(stty size)\r");
  await first.shows(done("last 22 70"));
  await second.shows(done("last 22 70"));
  expect(await first.screen.state()).toBe(await second.screen.state());
});

test("[WS-42] closing ends everything in it, jobs in the background and those that ignore a hang-up too", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { terminalId } = await openIn(server, client);
  const view = await TerminalView.attach(client, terminalId);
  view.type("set -m; sleep 4001 & nohup sleep 4002 >/dev/null & (trap '' HUP TERM; sleep 4003) & echo up $((1+1))\r");
  await view.shows("up 2");
  await waitFor(
    () => running(server, "sleep 400"),
    ({ length }) => length >= 3,
    "three jobs",
  );
  await client.ask("ok", { type: "terminal:close", terminalId });
  expect(running(server, "sleep 400")).toEqual([]);
  expect(server.holders()).toEqual([]);
  expect(await listed(client)).toEqual([]);
  expect(await client.request({ type: "terminal:attach", terminalId })).toMatchObject({ code: "TERMINAL_NOT_FOUND" });
});

test("[WS-42] nothing is left after a clean stop, after the hold time without a server, or of a killed holder", async () => {
  await using server = await startTestServer({ env: { LIMINAL_HOLD_MS: "60000" } });
  const client = await server.connect();
  const start = async (from: SocketClient, number: number) => {
    const { terminalId } = await openIn(server, from);
    const view = await TerminalView.attach(from, terminalId);
    view.type(`set -m; (trap '' HUP; sleep ${number}) & echo up\r`);
    await waitFor(
      () => running(server, `sleep ${number}`),
      ({ length }) => length > 0,
      "the job",
    );
    return terminalId;
  };
  const terminalId = await start(client, 4101);
  const mark = client.mark();
  for (const { pid } of server.holders()) process.kill(pid, "SIGKILL");
  await client.next("terminal:list", ({ terminals }) => terminals.length === 0, mark);
  expect(client.all("terminal:exited", mark)).toMatchObject([{ terminalId, exitCode: null }]);
  expect(running(server, "sleep 41")).toEqual([]);

  // The holder was killed while no server was there to notice.
  await start(client, 4102);
  await server.kill();
  for (const { pid } of server.holders()) process.kill(pid, "SIGKILL");
  await server.start({ LIMINAL_HOLD_MS: "50" });
  expect(running(server, "sleep 41")).toEqual([]);
  const next = await server.connect();
  expect(await listed(next)).toEqual([]);

  await start(next, 4103);
  await server.kill();
  expect(await server.processes.leftAfter(LEFT_MS)).toEqual([]);

  await server.start();
  await start(await server.connect(), 4104);
  await server.stop();
  expect(server.processes.alive()).toEqual([]);
});

test("an ended terminal keeps its last screen until it is closed", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { terminalId } = await openIn(server, client);
  const view = await TerminalView.attach(client, terminalId);
  const mark = client.mark();
  view.type("echo good''bye; exit 7\r");
  expect(await client.next("terminal:exited", () => true, mark)).toMatchObject({ terminalId, exitCode: 7 });
  expect(await listed(client)).toMatchObject([{ terminalId, end: { exitCode: 7 } }]);
  const later = await TerminalView.attach(await server.connect(), terminalId, { screen: new Screen() });
  await later.shows("goodbye");
  expect(await (await server.fetch("/api/status")).json()).toMatchObject({ terminals: { open: 1, running: 0 } });
  await client.ask("ok", { type: "terminal:close", terminalId });
  expect(await listed(client)).toEqual([]);
});

test("a terminal starts where it was asked for, with the user's environment and without our secrets", async () => {
  await using server = await startTestServer({ env: { LIMINAL_MODEL_KEY: "secret-key", OWN_VARIABLE: "own" } });
  const client = await server.connect();
  const { terminalId } = await openIn(server, client);
  const view = await TerminalView.attach(client, terminalId);
  view.type('echo "$TERM $COLORTERM $OWN_VARIABLE <$LIMINAL_MODEL_KEY$LIMINAL_TOKEN>"\r');
  await view.shows("xterm-256color truecolor own <>");
  const talk = await startTalk(server, "builtin");
  const opened = await client.ask("terminal:opened", { type: "terminal:open", sessionId: talk.sessionId });
  const [, second] = await listed(client);
  expect(second).toMatchObject({ terminalId: opened.terminalId, projectId: talk.projectId, worktreeId: null });
  for (const [request, code] of [
    [{ type: "terminal:open", projectId: crypto.randomUUID() }, "PROJECT_NOT_FOUND"],
    [{ type: "terminal:open", sessionId: "builtin:none" }, "SESSION_NOT_FOUND"],
    [{ type: "terminal:open", worktreeId: "none" }, "WORKTREE_NOT_FOUND"],
    [{ type: "terminal:open" }, "INVALID_MESSAGE"],
  ] as const)
    expect(await client.request(request)).toMatchObject({ type: "error", code });
});

test("[WS-44] no agent reaches a project's terminal: not over ACP, not with the token of its tools", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const { client, sessionId, projectId } = talk;
  const { terminalId } = await client.ask("terminal:opened", { type: "terminal:open", projectId });
  const view = await TerminalView.attach(client, terminalId);
  view.type("echo private $((3*3))\r");
  await view.shows("private 9");
  const methods = ["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"];
  await talk.say(
    script(...methods.map((method) => ({ ask: { id: method, method, params: { terminalId } } })), { end: "end_turn" }),
  );
  expect(talk.answer.match(/"code":/g)).toHaveLength(methods.length);
  expect(talk.answer).not.toContain("private");
  const token = sessionToken(server, sessionId);
  for (const request of [
    server.fetch("/ws", { headers: { Authorization: `Bearer ${token}`, Upgrade: "websocket" } }),
    server.fetch(`/ws?token=${token}`, { headers: {} }),
    server.fetch("/ws", { headers: { Upgrade: "websocket" } }),
  ])
    expect((await request).status).toBe(401);
  view.type("echo alive $((4*4))\r");
  await view.shows("alive 16");
});
