import { killQuietly } from "./cut-off.ts";
import { doneTo, type Fault } from "./fault.ts";

/** `kill -9` of an agent. */
export const agentKill: Fault = {
  name: "agent-kill",
  async inject({ scene, random }) {
    const cliType = random.pick(scene.agents);
    const pids = scene.agentPids(cliType);
    if (pids.length === 0) return { skipped: "the agent did not run at that moment" };
    scene.user.disturb(cliType);
    for (const pid of pids) killQuietly(pid);
    return doneTo(cliType);
  },
};
