import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../src/protocol/entry.ts";
import { startTestServer } from "../support/test-server.ts";
import { untilDone } from "../transfer/import-steps.ts";
import { CHILD, CHILD_TITLE, delegatingAgent } from "./delegating-agent.ts";
import { reopen, startTalk, type Talk } from "./talk.ts";

const agents = { delegating: delegatingAgent() };

/** Kind, text, and the call it is nested under. */
function outline(entries: readonly Entry[]): readonly (readonly unknown[])[] {
  return entries.map((entry) => [
    entry.type,
    entry.type === "tool-call" ? `${entry.name} (${entry.status})` : entry.content,
    ...(entry.parentToolCallId === undefined ? [] : [entry.parentToolCallId]),
  ]);
}

const child = (talk: Talk) => talk.tools.find(({ toolCallId }) => toolCallId === CHILD);
const stop = (talk: Talk) =>
  talk.client.request({ type: "session:stop-subagent", sessionId: talk.sessionId, toolCallId: CHILD });

test("CV-31 a sub-agent's words, calls, questions and end are shown under it, and its requests name it", async () => {
  await using server = await startTestServer({ agents });
  const talk = await startTalk(server, "delegating");
  await talk.send("delegate");
  expect(await talk.asked()).toMatchObject({ subAgent: CHILD_TITLE, toolCall: { toolCallId: "toolu_2" } });
  expect(child(talk)).toMatchObject({ kind: "think", status: "running", subAgent: { canStop: true } });
  await talk.answerWith("yes");
  const question = await talk.questioned();
  expect(question).toMatchObject({ subAgent: CHILD_TITLE, message: "How deep?" });
  await talk.client.ask("elicitation:resolved", {
    type: "elicitation:respond",
    sessionId: talk.sessionId,
    elicitationId: question.elicitationId,
    action: "accept",
    content: { depth: "all" },
  });
  await talk.untilIdle();
  const shown = outline(talk.entries).filter(([type]) => type !== "notice");
  expect(shown).toEqual([
    ["user", "delegate"],
    ["tool-call", `${CHILD_TITLE} (complete)`],
    ["user", "Find where input is parsed.", CHILD],
    ["assistant", "I look into src.", CHILD],
    ["assistant", "Meanwhile I wait."],
    ["tool-call", "grep parse src (complete)", CHILD],
    ["assistant", "It is in src/parse.ts.", CHILD],
    ["assistant", "Found it."],
  ]);
  // The options of the child are not those of the session.
  expect(talk.state.config.options).toEqual([]);
  const later = await reopen(await server.connect(), talk);
  expect(later.entries).toEqual(talk.entries);
});

test("CV-31 Stop on a sub-agent stops only it: the parent's turn continues", async () => {
  await using server = await startTestServer({ agents });
  const talk = await startTalk(server, "delegating");
  await talk.send("hang");
  await talk.until("the sub-agent's call", () => talk.tools.some(({ toolCallId }) => toolCallId === "toolu_2"));
  expect(await stop(talk)).toMatchObject({ type: "ok" });
  const { turn } = await talk.untilIdle();
  expect(turn.stopReason).toBe("end_turn");
  expect(talk.answer).toContain("I go on without it.");
  expect(child(talk)?.status).toBe("cancelled");
  expect(await stop(talk)).toMatchObject({ type: "error", code: "REQUEST_NOT_PENDING" });
});

test("CV-31 the end of a turn ends no sub-agent: it works on, and its end is shown when it comes", async () => {
  await using server = await startTestServer({ agents });
  const talk = await startTalk(server, "delegating");
  const file = join(await server.directory("signals"), "finish");
  await talk.say(`background ${file}`);
  expect(child(talk)?.status).toBe("running");
  await writeFile(file, "");
  await talk.until("its end", () => child(talk)?.status === "complete");
  await talk.untilAnswer("It is in src/parse.ts.");
  expect(talk.entries.find(({ content }) => content === "It is in src/parse.ts.")).toMatchObject({
    parentToolCallId: CHILD,
  });
  const later = await reopen(await server.connect(), talk);
  expect(outline(later.entries)).toEqual(outline(talk.entries));
});

test("CV-31 a sub-agent that still works when its agent ends, or its server with it, is shown as ended", async () => {
  await using server = await startTestServer({ agents, env: { LIMINAL_HOLD_MS: "0" } });
  const cut = await startTalk(server, "delegating");
  await cut.say("background never");
  expect(child(cut)?.status).toBe("running");
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), cut);
  await again.until("its end", () => child(again)?.status === "error");
  expect(child(again)).toMatchObject({ error: "The agent stopped before this finished.", endedAt: expect.any(String) });
  expect(again.state.subAgentCalls).toEqual([]);
  const talk = await startTalk(server, "delegating");
  await talk.say("background never");
  await talk.client.ask("ok", { type: "session:kill", sessionId: talk.sessionId });
  await talk.until("its end", () => child(talk)?.status === "error");
  expect(child(talk)?.error).toContain("before this finished");
});

test("CV-31 a loaded conversation has its sub-agents in the turns that began them", async () => {
  await using server = await startTestServer({ agents });
  const client = await server.connect();
  const path = await server.directory("imported");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const found = { projectId: project.id, cliType: "delegating" };
  const { sessions } = await client.ask("import:found", { type: "import:list", ...found });
  expect(sessions).toHaveLength(1);
  const ids = { agentSessionIds: ["elsewhere"] };
  const { importId } = await client.ask("import:started", { type: "import:start", ...found, ...ids });
  await untilDone(client, importId);
  const list = await client.ask("session:list", { type: "session:list", projectId: project.id });
  const [row] = list.sessions;
  if (!row) throw new Error("nothing was imported");
  const history = await client.ask("session:history", { type: "session:open", sessionId: row.id });
  expect(outline(history.entries)).toEqual([
    ["user", "Find it"],
    ["tool-call", `${CHILD_TITLE} (complete)`],
    ["user", "Find where input is parsed.", CHILD],
    ["assistant", "It is in src/parse.ts.", CHILD],
    ["assistant", "Found it."],
    ["user", "Thanks"],
    ["assistant", "You are welcome."],
  ]);
});

test("CV-32 a turn without sub-agents is as before, and none of its calls can be stopped alone", async () => {
  await using server = await startTestServer({ agents });
  const talk = await startTalk(server, "delegating");
  await talk.say("plain");
  expect(outline(talk.entries)).toEqual([
    ["user", "plain"],
    ["assistant", "Nothing to delegate."],
  ]);
  expect(await stop(talk)).toMatchObject({ type: "error", code: "REQUEST_NOT_PENDING" });
});
