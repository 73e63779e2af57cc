import { DONE, type Fault } from "./fault.ts";

const TWICE_SHARE = 0.25;

/** `kill -9` of the server; sometimes the next one is killed as soon as it is there. No turn may notice. */
export const serverKill: Fault = {
  name: "server-kill",
  async inject({ scene: { server }, random }) {
    await server.kill();
    await server.start();
    if (random.fraction() > TWICE_SHARE) return DONE;
    await server.kill();
    await server.start();
    return DONE;
  },
};
