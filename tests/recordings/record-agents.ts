// Writes recordings of the real agents and the transcripts they make; run by scripts/record.ts, which installs them first.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { agentCache } from "../../scripts/agents/agent-packages.ts";
import { openAgentScene } from "../agents/agent-scene.ts";
import { REAL_AGENTS, type RealAgent } from "../agents/real-agents.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT } from "../support/test-server.ts";
import { cleanRecording } from "./clean-recording.ts";
import { goldenFile, recordingFile } from "./recording-files.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { transcriptOf } from "./transcript.ts";
import { WIRE_TAP } from "./wire-tap.ts";

async function record(agent: RealAgent, scenario: Scenario): Promise<void> {
  await using dir = await tempDir();
  const tapped = dir.join("tapped.jsonl");
  let project = "";
  {
    await using scene = await openAgentScene(throughTap(agent, tapped));
    const talk = await scene.newSession();
    await scenario.play(talk);
    project = talk.directory;
    await writeFile(goldenFile(agent, scenario), transcriptOf(talk));
  }
  const others = [agentCache(process.env), process.execPath, ROOT, tmpdir(), homedir()];
  const recording = cleanRecording(await readFile(tapped, "utf8"), { project, others });
  await writeFile(recordingFile(agent, scenario), recording);
  console.log(`${agent.name}-${scenario.name}: ${recording.length} characters`);
}

function throughTap(agent: RealAgent, file: string): RealAgent {
  return {
    ...agent,
    async settle(home, modelOrigin) {
      const env = await agent.settle(home, modelOrigin);
      const tap = [process.execPath, WIRE_TAP, file].map((word) => `'${word}'`).join(" ");
      return { ...env, [agent.variable]: `${tap} ${env[agent.variable]}` };
    },
  };
}

const [wanted = ""] = process.argv.slice(2);
await mkdir(join(import.meta.dirname, "golden"), { recursive: true });
for (const agent of REAL_AGENTS)
  for (const scenario of SCENARIOS)
    if (`${agent.name}-${scenario.name}`.includes(wanted)) await record(agent, scenario);
