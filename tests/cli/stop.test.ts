import { expect, it } from "bun:test";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectUnbrokenWords } from "../integration/expect-kept.ts";
import { reopen, startTalk } from "../integration/talk.ts";
import { agentPid } from "../lifecycle/agent-status.ts";
import { startTestServer, TestServer } from "../support/test-server.ts";
import { COMMANDS_TIMEOUT_MS, liminal, liminalJson } from "./liminal.ts";

const STREAM = "stream 100000 words at 500/s";

it(
  "X-19 X-14 stop --keep-agents, then a start, is a restart that interrupts nobody",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send(STREAM);
    await talk.untilAnswer("w20 ");
    const agent = await agentPid(server, "builtin");
    const { pid } = server;
    const stopped = await liminalJson(server, ["stop", "--keep-agents"]);
    expect(stopped).toMatchObject({ code: 0, value: { status: "stopped", pid, heldAgents: 1 } });
    await server.ended();
    const doctor = await liminalJson(server, ["doctor", "--no-agents"]);
    const held = doctor.value.checks.find(({ id }: { id: string }) => id === "held-agents");
    expect(held).toMatchObject({ status: "note", message: expect.stringContaining("1 agent") });
    expect((await liminalJson(server, ["stop", "--keep-agents"])).value).toEqual({ status: "not-running" });
    await server.start();
    const again = await reopen(await server.connect(), talk);
    expect(again.state.turn.state).toBe("running");
    expect(await agentPid(server, "builtin")).toBe(agent);
    const words = again.answer.length;
    await again.until("more words", () => again.answer.length > words);
    await again.cancel();
    await again.untilIdle();
    expectUnbrokenWords(again.answer);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 stop asked several times at once ends one server, and each says in words how it found it",
  async () => {
    await using server = await startTestServer();
    const ends = await Promise.all([1, 2, 3].map(() => liminal(server, ["stop"])));
    for (const { code, stdout, stderr } of ends) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^(Liminal Builder has stopped|No server is running for .*)\.\n$/);
    }
    expect(await server.ended()).toBe(0);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-14 stop ends nobody whose number or port stands in the note of a server that is gone",
  async () => {
    await using server = await TestServer.prepare();
    const stranger = Bun.spawn(["sleep", "1000"]);
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ status: "ok" }) });
    const note = JSON.stringify({ pid: stranger.pid, port: other.port });
    await writeFile(join(server.dataDir, "server.json"), note);
    await writeFile(join(server.dataDir, "token"), "anything");
    expect((await liminalJson(server, ["stop"])).value).toEqual({ status: "not-running" });
    expect(stranger.killed || stranger.exitCode !== null || stranger.signalCode !== null).toBe(false);
    stranger.kill();
    await stranger.exited;
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "X-19 X-21 stop after a crash stores what agents said since, and ends them",
  async () => {
    await using server = await startTestServer();
    const talk = await startTalk(server);
    await talk.send(STREAM);
    await talk.untilAnswer("w20 ");
    const shown = talk.answer;
    await server.kill();
    const stopped = await liminal(server, ["stop"]);
    expect(stopped).toMatchObject({ code: 0, stdout: "Liminal Builder has stopped.\n" });
    expect(stopped.stderr).toContain("1 agent(s) of a stopped server are still running");
    expect(readdirSync(join(server.dataDir, "held"))).toEqual([]);
    expect(await server.processes.leftAfter(20_000)).toEqual([]);
    await server.start();
    const again = await reopen(await server.connect(), talk);
    expect(again.state.turn.stopReason).toBe("interrupted");
    expect(again.answer.length).toBeGreaterThan(shown.length);
    expectUnbrokenWords(again.answer);
  },
  COMMANDS_TIMEOUT_MS,
);

it(
  "[WS-42] after a kill of the server, doctor names the terminals that are held, and stop ends them",
  async () => {
    await using server = await startTestServer();
    const client = await server.connect();
    const path = await server.directory("work");
    const { project } = await client.ask("project:added", { type: "project:add", path });
    await client.ask("terminal:opened", { type: "terminal:open", projectId: project.id });
    const check = async (wanted: string) => {
      const { value } = await liminalJson(server, ["doctor", "--no-agents"]);
      return value.checks.find(({ id }: { id: string }) => id === wanted);
    };
    expect(await check("terminals")).toMatchObject({ status: "ok", message: "1 terminal(s) are held." });
    await server.kill();
    expect(await check("held-terminals")).toMatchObject({
      status: "note",
      fix: expect.stringContaining("liminal stop"),
    });
    const stopped = await liminal(server, ["stop"]);
    expect(stopped).toMatchObject({ code: 0, stderr: expect.stringContaining("1 terminal(s)") });
    expect(await server.processes.leftAfter(20_000)).toEqual([]);
    expect(await check("held-terminals")).toBeUndefined();
  },
  COMMANDS_TIMEOUT_MS,
);
