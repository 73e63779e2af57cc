import { signalQuietly } from "./cut-off.ts";
import { doneTo, type Fault } from "./fault.ts";
import { pickHeld } from "./held-agent.ts";
import { holdOn } from "./moments.ts";

/** SIGSTOP of a holder: its agent talks into a pipe that nobody empties. */
export const holderStop: Fault = {
  name: "holder-sigstop",
  async inject(world) {
    const held = pickHeld(world);
    if (!held) return { skipped: "no agent was held at that moment" };
    signalQuietly(held.holderPid, "SIGSTOP");
    await holdOn(world);
    signalQuietly(held.holderPid, "SIGCONT");
    return doneTo(held.cliType);
  },
};
