import { expect, test } from "bun:test";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { countFromTo, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type AgentSetting, ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { GUIDE } from "./app-page.ts";
import { useChromium } from "./use-chromium.ts";

const NEVER_MS: readonly number[] = [];
const NOT_SOON_MS = [30_000];
const SOON_MS = [50, 50, 50];

const chromium = useChromium();

const START_GUIDE = `exec '${process.execPath}' '${join(ROOT, "builtin-agent/main.ts")}'`;

/**
 * The guide under a name of its own, brought back after these waits when it crashes. It starts while there is this
 * file: without it, it stays in a state that else passes by itself, until a test has seen it.
 */
function gatedGuide(name: string, retryMs: readonly number[], gate: string): AgentSetting {
  const script = `while [ ! -e '${gate}' ]; do sleep 0.05; done; ${START_GUIDE}`;
  return { name, command: "/bin/sh", args: ["-c", script], process: "shared", retryMs };
}

function agentPids(server: TestServer): number[] {
  const agents = server.agentProcesses().filter(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
  return agents.map(({ pid }) => pid);
}

/** `kill -9` of the one agent that runs besides these. Not by its number: those begin anew on a machine that was busy. */
function killAgent(server: TestServer, besides: readonly number[] = []): void {
  const [pid = 0, ...others] = agentPids(server).filter((one) => !besides.includes(one));
  expect(others).toEqual([]);
  process.kill(pid, "SIGKILL");
}

test("TC-5.1a the first session starts the agent's process; TC-5.1b later ones share it; TC-5.2a connected", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  expect(agentPids(server)).toEqual([]);
  const first = await app.newSession("demo");
  await first.untilStatus("connected");
  const pids = agentPids(server);
  expect(pids).toHaveLength(1);
  const second = await app.newSession("demo");
  await second.ask("stream 1 words", "w1");
  expect(agentPids(server)).toEqual(pids);
});

test("TC-5.2b a dead agent: composer off, text kept, Reconnect offered, in its own sessions only; TC-5.2c TC-5.2d", async () => {
  await using dir = await tempDir();
  const gate = dir.join("may-start");
  await writeFile(gate, "");
  const frail = gatedGuide("Frail", NEVER_MS, gate);
  await using server = await startTestServer({ agents: { frail } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const sound = await app.newSession("demo");
  await sound.ask("stream 1 words", "w1");
  const others = agentPids(server);
  const session = await app.newSession("demo", "Frail");
  await session.ask("stream 2 words", "w1 w2");
  await rm(gate);
  killAgent(server, others);
  await session.untilStatus("disconnected");
  const reconnect = session.button("Reconnect");
  await reconnect.waitFor();
  await session.message.fill("stream 3 words");
  await session.untilSendIs("off");
  await session.message.press("Enter");
  await expectSoon(() => session.message.inputValue()).toBe("stream 3 words");
  await expectSoon(() => sound.status.getAttribute("data-status")).toBe("connected");

  await reconnect.click();
  await session.untilStatus("reconnecting");
  await session.untilSendIs("off");
  await writeFile(gate, "");
  await session.untilStatus("connected");
  await expectSoon(() => reconnect.count()).toBe(0);
  await session.untilSendIs("on");
  await session.message.press("Enter");
  await session.untilSaid("w1 w2 w3");
  await app.tab("stream 1 words").click();
  await expectSoon(() => sound.button("Reconnect").count()).toBe(0);
  await sound.ask("stream 4 words", "w4");
});

test("TC-5.2c an agent that is killed comes back by itself, and the next message is answered", async () => {
  await using dir = await tempDir();
  const gate = dir.join("may-start");
  await writeFile(gate, "");
  const frail = gatedGuide("Frail", SOON_MS, gate);
  await using server = await startTestServer({ agents: { frail } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Frail");
  await session.say("stream 100000 words at 40/s");
  await session.untilSaid("w5");
  await rm(gate);
  killAgent(server);
  await session.untilStatus("reconnecting");
  await writeFile(gate, "");
  await session.untilStatus("connected");
  await session.untilIdle();
  const [kept = ""] = await session.texts("assistant");
  expect(kept).toStartWith("w1 w2 w3 w4 w5");
  await expectSoon(() => session.transcript.getByText(/stopped|interrupted/i).count()).toBeGreaterThan(0);
  await session.ask("stream 3 words", "w1 w2 w3");
  await expectSoon(() => session.texts("assistant")).toEqual([kept, "w1 w2 w3"]);
});

test("TC-5.4a a start is visible: in the picker, and in a session that brings its agent back", async () => {
  await using dir = await tempDir();
  const gate = dir.join("may-start");
  const slow = gatedGuide("Slowpoke", NOT_SOON_MS, gate);
  await using server = await startTestServer({ agents: { slow } });
  await using app = await chromium.open(server, { losesServer: true });
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Slowpoke");
  await session.untilStatus("starting");
  await writeFile(gate, "");
  await session.ask("stream 1 words", "w1");
  await rm(gate);
  await server.stop();
  await server.start();
  await session.untilStatus("idle");
  await session.say("stream 2 words");
  await session.untilStatus("starting");
  await session.status.getByText("Starting Slowpoke…").waitFor();
  await writeFile(gate, "");
  await session.untilSaid("w1 w2");
  await session.untilStatus("connected");
});

test("TC-5.5a an agent that is not installed: the reason in words, and Retry once it is", async () => {
  await using dir = await tempDir();
  const command = dir.join("ghost");
  await using server = await startTestServer({ agents: { ghost: { name: "Ghost", command } } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Ghost");
  await session.frame.getByText("Could not start Ghost. Check that it's installed.").waitFor();
  await writeFile(command, `#!/bin/sh\n${START_GUIDE}\n`);
  await chmod(command, 0o755);
  await session.button("Retry").click();
  await session.untilStatus("connected");
  await session.ask("stream 1 words", "w1");
});

test("TC-5.5b an agent whose handshake fails: the reason with its last stderr lines, and Retry", async () => {
  await using dir = await tempDir();
  const licence = dir.join("licence");
  const script = `test -e '${licence}' || { echo 'no licence found' >&2; exit 1; }
    ${START_GUIDE}`;
  const picky: AgentSetting = { name: "Picky", command: "/bin/sh", args: ["-c", script] };
  await using server = await startTestServer({ agents: { picky } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Picky");
  await session.frame.getByText("Could not connect to Picky").waitFor();
  await session.frame.getByText("no licence found").waitFor();
  await writeFile(licence, "");
  await session.button("Retry").click();
  await session.untilStatus("connected");
  await session.ask("stream 1 words", "w1");
});

test("TC-5.6a TC-5.6b a refresh restores the tabs and disturbs no turn: the page shows all of it", async () => {
  await using dir = await tempDir();
  const steps = [...countFromTo(1, 30), { untilFile: dir.join("go-on") }, ...countFromTo(31, 300), { end: "end_turn" }];
  const scripts = { "one word": [...countFromTo(1, 1), { end: "end_turn" }], "count to 300": steps };
  await using server = await startTestServer({ agents: { scripted: scriptedAgent({ scripts }) } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const quiet = await app.newSession("demo", "Scripted");
  await quiet.ask("one word", "w1");
  const session = await app.newSession("demo", "Scripted");
  await session.say("count to 300");
  await session.untilSaid("w20");
  const pids = server.agentProcesses().map(({ pid }) => pid);
  expect(pids).not.toEqual([]);
  for (let round = 0; round < 2; round += 1) await app.refresh();
  await app.untilTabs("one word", "count to 300");
  const again = await app.shownSession();
  expect(again.id).toBe(session.id);
  await again.cancel.waitFor();
  await writeFile(dir.join("go-on"), "");
  await again.untilSaid("w300");
  await again.untilIdle();
  const words = Array.from({ length: 300 }, (_, index) => `w${index + 1}`).join(" ");
  await expectSoon(() => again.texts("assistant")).toEqual([words]);
  expect(server.agentProcesses().map(({ pid }) => pid)).toEqual(pids);
});

test("a failed turn shows the reason and leaves the session usable", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", GUIDE);
  await session.say("fail");
  await session.transcript.getByText("The guide failed, as you asked.").waitFor();
  await app.untilRowSays("fail", "failed");
  await session.ask("stream 1 words", "w1");
});
