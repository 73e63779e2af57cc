import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { startTalk, type Talk } from "../integration/talk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { PLAYBACK_AGENT } from "./playback-agent.ts";

const PROMPTS = ["think", "stream 30 words", "plan"];
const TraceLine = z.object({ direction: z.enum(["in", "out", "junk", "stderr", "note"]), text: z.string() });

test("X-17 a trace that a user sends with a bug report plays again, and makes the same transcript", async () => {
  await using dir = await tempDir();
  const recording = dir.join("trace.jsonl");
  await using server = await startTestServer();
  const told = await startTalk(server);
  for (const prompt of PROMPTS) await told.say(prompt);
  await writeFile(recording, await recordingOf(server, told));

  const replayed = {
    name: "Replayed",
    command: process.execPath,
    args: [PLAYBACK_AGENT, recording, dir.join("starts")],
  };
  await using again = await startTestServer({ agents: { replayed } });
  const played = await startTalk(again, "replayed");
  for (const prompt of PROMPTS) await played.say(prompt);
  expect(said(played)).toEqual(said(told));
  expect(told.entries.length).toBeGreaterThan(PROMPTS.length);
});

/** What the server sent out is what an agent takes in, and the other way round. */
async function recordingOf(server: TestServer, talk: Talk): Promise<string> {
  const response = await server.fetch(`/api/trace?sessionId=${encodeURIComponent(talk.sessionId)}`);
  const [, ...lines] = (await response.text()).trim().split("\n");
  return lines
    .map((line) => TraceLine.parse(JSON.parse(line)))
    .filter(({ direction }) => direction === "in" || direction === "out")
    .map(({ direction, text }) => `{"${direction === "in" ? "out" : "in"}":${text}}`)
    .join("\n");
}

function said(talk: Talk): readonly (readonly [string, string])[] {
  return talk.entries.map(({ type, content }) => [type, content] as const);
}
