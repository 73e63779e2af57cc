import { join } from "node:path";
import type { RealAgent } from "../agents/real-agents.ts";
import type { Scenario } from "./scenarios.ts";

/** What was said on the wire. */
export function recordingFile(agent: RealAgent, scenario: Scenario): string {
  return join(import.meta.dirname, `${agent.name}-${scenario.name}.jsonl`);
}

/** The transcript it has to make: read by a person, and judged to be right. */
export function goldenFile(agent: RealAgent, scenario: Scenario): string {
  return join(import.meta.dirname, "golden", `${agent.name}-${scenario.name}.txt`);
}
