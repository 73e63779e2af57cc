import { expect, test } from "bun:test";
import { z } from "zod";
import { startTestServer } from "../support/test-server.ts";
import { chunk, script, scriptedAgent } from "./scripted-agent.ts";
import { startTalk } from "./talk.ts";

const Status = z.looseObject({ sessions: z.array(z.looseObject({ agentState: z.string() })) });

test("W-7 (B8) a failed prompt is an error message with its session for every client; the agent is idle after each turn", async () => {
  await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
  const talk = await startTalk(server, "scripted");
  const other = await server.connect();
  const agentStates = async () =>
    Status.parse(await (await server.fetch("/api/status")).json()).sessions.map(({ agentState }) => agentState);
  await talk.send("[]");
  expect(await agentStates()).toEqual(["active"]);
  await talk.cancel();
  await talk.untilIdle();
  expect(await agentStates()).toEqual(["idle"]);
  await talk.say(script({ fail: { code: -32603, message: "The model is gone." } }));
  const failed = await other.next("error", () => true, 0);
  expect(failed).toMatchObject({ code: "AGENT_PROTOCOL_ERROR", message: "The model is gone." });
  expect<string | undefined>(failed.sessionId).toBe(talk.sessionId);
  expect("requestId" in failed).toBe(false);
  expect(await agentStates()).toEqual(["idle"]);
  await talk.say(script(chunk("Better."), { end: "end_turn" }));
  expect(talk.answer).toBe("Better.");
});
