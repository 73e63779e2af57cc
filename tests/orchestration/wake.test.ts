import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { script, scriptedAgent } from "../integration/scripted-agent.ts";
import { startTalk } from "../integration/talk.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { McpCaller, sessionToken } from "./mcp-caller.ts";

test("X-20 a parent whose turn is over is woken once, with a digest, when all its agents have ended", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const quick = await caller.create({ plan: "stream 3 words" });
  const slow = await caller.create({ plan: "sleep" });
  const { reason, waitId } = await caller.wait({ agentIds: [quick, slow], wake: true });
  expect(reason).toBe("armed");
  await talk.until("the wait", ({ waits }) => waits?.[0]?.waitId === waitId);
  await caller.wait({ agentIds: [quick] });
  expect(talk.messages).toEqual([]);
  await caller.call("cancel_agent", { agentId: slow });
  await talk.untilTurnsEnded(1);
  const [digest = ""] = talk.messages;
  expect(digest).toContain("the agents you waited for have finished");
  expect(digest).toContain(`(${quick})\n\nidle: done\n\nw1 w2 w3`);
  expect(digest).toContain(`(${slow})\n\nidle: cancelled`);
  expect(talk.state.waits).toEqual([]);
});

test("X-20 [CV-25] a parent that waits for a usage limit is woken when that has ended, and not before", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const { client, sessionId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const agentId = await caller.create({ plan: "sleep", agent: "builtin" });
  await caller.wait({ agentIds: [agentId], wake: true });
  const limited = script({ fail: { code: 429, message: "Quota exceeded. Check your plan." } });
  await talk.send(limited);
  await talk.until("the pause", ({ pause, turn }) => pause !== null && turn.state === "idle");
  await caller.call("cancel_agent", { agentId });
  await waitFor(
    () => caller.list(),
    ([child]) => child?.outcome === "cancelled",
    "the end of the child",
  );
  expect(talk.messages).toEqual([limited]);
  expect(talk.state.waits).toHaveLength(1);
  await client.ask("ok", { type: "session:dismiss-limit", sessionId });
  await talk.until("the wake", () => talk.messages.length === 2);
  expect(talk.messages[1]).toContain("idle: cancelled");
  await talk.until("no wait", ({ waits }) => waits.length === 0);
});

test("X-20 a wake outlives kill -9: what ended with the server is reported as interrupted, and nothing is reported twice", async () => {
  await using server = await startTestServer({ env: { LIMINAL_HOLD_MS: "0" } });
  const talk = await startTalk(server, "builtin");
  {
    await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
    await caller.create({ plan: "sleep", wake: true });
    await talk.until("the wait", ({ waits }) => waits?.length === 1);
  }
  await server.kill();
  await server.start();
  const again = await talk.joinedBy(await server.connect());
  await again.untilTurnsEnded(1);
  expect(again.messages[0]).toContain("failed: interrupted. The server stopped while this turn was running.");
  await server.kill();
  await server.start();
  const last = await talk.joinedBy(await server.connect());
  expect(last.messages).toHaveLength(1);
  expect(last.state.waits).toEqual([]);
});

test("X-20 X-19 agents that go on while the server is away wake their parent once, in the next server", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  {
    await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
    // One ends before, while or after there is no server, one surely after.
    const ids = [await caller.create({ plan: "stream 20 words at 100/s" }), await caller.create({ plan: "sleep" })];
    await caller.wait({ agentIds: ids, wake: true });
    await talk.until("the wait", ({ waits }) => waits?.length === 1);
  }
  await server.kill();
  await server.start();
  const again = await talk.joinedBy(await server.connect());
  expect(again.state.waits).toHaveLength(1);
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const [, sleeper] = await caller.list();
  await caller.call("cancel_agent", { agentId: sleeper?.agentId });
  await again.untilTurnsEnded(1);
  expect(again.messages[0]).toContain("w19 w20");
  expect(again.messages[0]).toContain("idle: cancelled");
  expect(again.messages).toHaveLength(1);
  expect(again.state.waits).toEqual([]);
});

test("X-20 what was called off stays off after kill -9", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  const { client, sessionId } = talk;
  {
    await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
    const { waitId = "" } = await caller.wait({ agentIds: [await caller.create({ plan: "sleep" })], wake: true });
    await client.ask("ok", { type: "session:wait-cancel", sessionId, waitId });
  }
  await server.kill();
  await server.start();
  const again = await talk.joinedBy(await server.connect());
  expect(again.state.waits ?? []).toEqual([]);
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const [child] = await caller.list();
  await caller.call("cancel_agent", { agentId: child?.agentId });
  await caller.wait({ agentIds: [child?.agentId ?? ""] });
  await again.say("stream 1 words");
  expect(again.messages).toEqual(["stream 1 words"]);
});

test("X-20 a wake can be cancelled: by its own command, by the user's stop, and by a wait with the same result", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  const { client, sessionId } = talk;
  await using caller = await McpCaller.overHttp(server, sessionToken(server, sessionId));
  const agentId = await caller.create({ plan: "sleep" });
  const arm = async () => {
    const { waitId } = await caller.wait({ agentIds: [agentId], wake: true });
    await talk.until("the wait", ({ waits }) => waits?.some((wait) => wait.waitId === waitId) === true);
    return waitId ?? "";
  };
  const gone = () => talk.until("no wait", ({ waits }) => waits?.length === 0);
  await client.ask("ok", { type: "session:wait-cancel", sessionId, waitId: await arm() });
  await gone();
  await arm();
  await client.ask("ok", { type: "session:cancel", sessionId });
  await gone();
  // The session is at work when its agent ends, hears of it by itself, and is not told again.
  await arm();
  const working = await talk.send("sleep");
  await caller.call("cancel_agent", { agentId });
  expect((await caller.wait({ agentIds: [agentId] })).reason).toBe("aborted");
  await gone();
  await talk.cancel();
  await talk.untilIdle(working);
  expect(talk.messages).toEqual(["sleep"]);
});

test("X-20 a session at work is woken when its own turn has ended", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const agentId = await caller.create({ plan: "sleep" });
  const working = await talk.send("sleep 1");
  await caller.wait({ agentIds: [agentId], wake: true });
  await caller.call("kill_agent", { agentId });
  await talk.untilIdle(working);
  await talk.untilTurnsEnded(2);
  expect(talk.messages[1]).toContain("killed: killed");
});

test("X-20 (C6) the digest shortens each of many agents and leaves none out", async () => {
  const many = 20;
  await using server = await startTestServer({
    prepare: (dataDir) =>
      writeFile(
        join(dataDir, "config.json"),
        JSON.stringify({ orchestration: { childrenMax: many, runningMax: many } }),
      ),
  });
  const talk = await startTalk(server, "builtin");
  await using caller = await McpCaller.overHttp(server, sessionToken(server, talk.sessionId));
  const gate = await caller.create({ plan: "sleep" });
  const others = await Promise.all(
    Array.from({ length: many - 1 }, (_, n) => caller.create({ plan: "stream 900 words", title: `Worker ${n}` })),
  );
  await caller.wait({ agentIds: others });
  await caller.wait({ agentIds: [gate, ...others], wake: true });
  await caller.call("cancel_agent", { agentId: gate });
  await talk.untilTurnsEnded(1);
  const [digest = ""] = talk.messages;
  for (const id of [gate, ...others]) expect(digest).toContain(`(${id})\n\nidle: `);
  expect(digest.match(/characters left out/g)).toHaveLength(others.length);
  expect(digest.length).toBeLessThan(25_000);
});
