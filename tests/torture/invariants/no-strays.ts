import type { Scene } from "../scene/scene.ts";
import type { Invariant } from "./invariant.ts";

const GONE_MS_MAX = 30_000;

/** While the server runs there is one process for each agent at most, on the far machine for each session, and one holder for each of those. */
export const noStrays: Invariant = {
  name: "no agent or holder runs that nobody needs",
  breach: "orphan",
  async check(scene) {
    const found = await scene.until(() => stray(scene), GONE_MS_MAX);
    return found === null ? [] : [found];
  },
};

function stray(scene: Scene): string | null {
  let running = 0;
  for (const cliType of [...scene.agents, scene.workAgent]) {
    const pids = scene.agentPids(cliType);
    if (pids.length > 1) return `${cliType} runs as ${pids.join(", ")}`;
    running += pids.length;
  }
  const far = scene.agentPids(scene.farAgent).length;
  const wanted = scene.sessionsOf(scene.farAgent).length;
  if (far > wanted) return `${scene.farAgent} runs ${far} times for ${wanted} sessions`;
  running += far;
  const holders = scene.holderPids();
  return holders.length > running ? `${holders.length} holders (${holders.join(", ")}) for ${running} agents` : null;
}
