import { describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { openAgentScene } from "../agents/agent-scene.ts";
import { expectSettled } from "../agents/outline.ts";
import { REAL_AGENTS, type RealAgent } from "../agents/real-agents.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PLAYBACK_AGENT } from "./playback-agent.ts";
import { goldenFile, recordingFile } from "./recording-files.ts";
import { SCENARIOS } from "./scenarios.ts";
import { transcriptOf } from "./transcript.ts";

/** LIMINAL_GOLDEN=write makes the files what the recordings make now; whoever does that reads each and judges it. */
const REWRITES = process.env["LIMINAL_GOLDEN"] === "write";

describe.each(REAL_AGENTS)("recordings of $title", (agent) => {
  test.each(SCENARIOS)(`${agent.rule} $name makes the same transcript as the agent itself did`, async (scenario) => {
    await using dir = await tempDir();
    await using scene = await openAgentScene(playedBack(agent, recordingFile(agent, scenario), dir.join("starts")));
    const talk = await scene.newSession();
    await scenario.play(talk);
    expectSettled(talk);
    const golden = goldenFile(agent, scenario);
    if (REWRITES) await writeFile(golden, transcriptOf(talk));
    expect(transcriptOf(talk)).toBe(await readFile(golden, "utf8"));
  });
});

function playedBack(agent: RealAgent, recording: string, countFile: string): RealAgent {
  const command = [process.execPath, PLAYBACK_AGENT, recording, countFile].map((word) => `'${word}'`).join(" ");
  return { ...agent, settle: async () => ({ [agent.variable]: command }) };
}
