import { expect, it } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expectUnbrokenWords } from "../integration/expect-kept.ts";
import { reopen, startTalk } from "../integration/talk.ts";
import { agentPid } from "../lifecycle/agent-status.ts";
import { startTestServer } from "../support/test-server.ts";
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
    expect(stopped.stderr).toContain("1 agent(s) of a server that is gone still run");
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
