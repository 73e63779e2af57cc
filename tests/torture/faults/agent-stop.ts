import { signalQuietly } from "./cut-off.ts";
import { DONE, type Fault } from "./fault.ts";
import { holdOn } from "./moments.ts";

/** SIGSTOP of an agent: it neither reads nor writes for a while. */
export const agentStop: Fault = {
  name: "agent-sigstop",
  async inject(world) {
    const { scene, random } = world;
    const pids = scene.agentPids(random.pick(scene.agents));
    if (pids.length === 0) return { skipped: "the agent did not run at that moment" };
    for (const pid of pids) signalQuietly(pid, "SIGSTOP");
    await holdOn(world);
    for (const pid of pids) signalQuietly(pid, "SIGCONT");
    return DONE;
  },
};
