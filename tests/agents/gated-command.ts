import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentTalk } from "./agent-scene.ts";

/** The file that lets them go on. */
export const GATE = "gate-is-open";

/** Runs once `openGate` was called. Codex may not tell of a command, or of what it printed, before it was announced. */
export function gated(command: string): string {
  return `until [ -e ${GATE} ]; do sleep 0.05; done; ${command}`;
}

/** Lets the gated commands of a session go on. */
export async function openGate(talk: AgentTalk): Promise<void> {
  await writeFile(join(talk.directory, GATE), "");
}

/** For the next gated command of the same session. */
export async function closeGate(talk: AgentTalk): Promise<void> {
  await rm(join(talk.directory, GATE));
}
