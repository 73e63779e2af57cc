import { killQuietly } from "./cut-off.ts";
import { doneTo, type Fault } from "./fault.ts";
import { pickHeld } from "./held-agent.ts";

/** `kill -9` of a holder, with the server there or right after it was killed, too. */
export const holderKill: Fault = {
  name: "holder-kill",
  async inject(world) {
    const held = pickHeld(world);
    if (!held) return { skipped: "no agent was held at that moment" };
    const { server, user } = world.scene;
    user.disturb(held.cliType);
    const isServerToo = world.random.fraction() < 0.5;
    if (isServerToo) await server.kill();
    killQuietly(held.holderPid);
    if (isServerToo) await server.start();
    return doneTo(`${held.cliType}${isServerToo ? " and the server" : ""}`);
  },
};
