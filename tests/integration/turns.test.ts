import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { reopen, startTalk } from "./talk.ts";

const tool = (toolCallId: string, more: object) => ({ update: { sessionUpdate: "tool_call", toolCallId, ...more } });
const toolUpdate = (toolCallId: string, more: object) => ({
  update: { sessionUpdate: "tool_call_update", toolCallId, ...more },
});

test("W-12 what belongs to an earlier turn is kept and never ends a later one", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  await talk.send(
    script(chunk("One. ", "m1"), tool("t1", { title: "Slow", status: "in_progress" }), { end: "end_turn" }),
  );
  await talk.untilTurnsEnded(1);
  const mark = talk.client.mark();
  await talk.send(
    script(
      { endEarlier: "refusal" },
      chunk("Two, ", "m2"),
      toolUpdate("t1", { status: "completed", rawOutput: "late result" }),
      { endEarlier: "cancelled" },
      chunk("still two.", "m2"),
      { end: "max_tokens" },
    ),
  );
  const { turn } = await talk.untilTurnsEnded(2);
  expect(turn.stopReason).toBe("max_tokens");
  const ends = talk.client.all("session:turn", mark).filter((each) => each.turn.state === "idle");
  expect(ends).toHaveLength(1);
  expect(talk.shape).toEqual(["user", "assistant", "tool-call", "user", "assistant", "notice"]);
  expect(talk.answer).toBe("One. Two, still two.");
  expect(talk.tools).toMatchObject([{ status: "complete", result: "late result" }]);
});

test("W-12 text between turns has its place between them, survives a restart, and starts no turn", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  await talk.send(
    script(
      chunk("In time.", "m1"),
      { end: "end_turn" },
      chunk("By the way.", "m2"),
      tool("t2", { title: "Background", status: "in_progress" }),
      toolUpdate("t2", { status: "completed" }),
    ),
  );
  await talk.until("the background call", () => talk.tools[0]?.status === "complete");
  expect(talk.state.turn).toMatchObject({ state: "idle", stopReason: "end_turn" });
  expect(talk.shape).toEqual(["user", "assistant", "assistant", "tool-call"]);
  await talk.send(script(chunk("Next.", "m3"), { end: "end_turn" }));
  await talk.untilTurnsEnded(2);
  expect(talk.answer).toBe("In time.By the way.Next.");
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.entries).toEqual(talk.entries);
});

test("tool calls of different turns under one id are different calls; text around a call is two entries", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const call = (result: string) =>
    script(
      chunk("before "),
      tool("call-1", { title: result, status: "in_progress" }),
      toolUpdate("call-1", { status: "completed", rawOutput: result }),
      chunk("after "),
      { end: "end_turn" },
    );
  await talk.send(call("first"));
  await talk.untilTurnsEnded(1);
  await talk.send(call("second"));
  await talk.untilTurnsEnded(2);
  const shape = ["user", "assistant", "tool-call", "assistant"];
  expect(talk.shape).toEqual([...shape, ...shape]);
  expect(talk.tools.map(({ result }) => result)).toEqual(["first", "second"]);
});

test("stop reasons of the agent are passed on unchanged; an unknown one counts as the ordinary end", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  let count = 0;
  for (const reason of ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "bored"]) {
    await talk.send(script({ end: reason }));
    count += 1;
    const { turn } = await talk.untilTurnsEnded(count);
    expect<string | undefined>(turn.stopReason).toBe(reason === "bored" ? "end_turn" : reason);
  }
});

test("a turn without output still reports its end", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  await talk.send(script({ end: "end_turn" }));
  await talk.untilTurnsEnded(1);
  expect(talk.client.all("session:complete").map(({ entryId }) => entryId)).toEqual(
    talk.entries.map(({ entryId }) => entryId),
  );
});

test("input nested without end is left out, and the session stays readable", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  let count = 0;
  for (const depth of [90, 3_000]) {
    const rawInput = nested(depth);
    const update = { sessionUpdate: "from_the_future", deep: rawInput };
    await talk.send(
      script(tool(`t${depth}`, { title: "Deep", status: "completed", rawInput }), { update }, chunk("ok"), {
        end: "end_turn",
      }),
    );
    count += 1;
    await talk.untilTurnsEnded(count);
  }
  expect(Array.isArray(talk.tools[0]?.input)).toBe(true);
  expect(talk.tools[1]?.input).toBe("[left out: nested more than 100 levels deep]");
  await server.kill();
  await server.start();
  const again = await reopen(await server.connect(), talk);
  expect(again.entries).toEqual(talk.entries);
});
