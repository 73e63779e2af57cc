import { DONE, type Fault } from "./fault.ts";
import { holdOn } from "./moments.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The server's clock is set to another time, up to two days off, and back. */
export const clockJump: Fault = {
  name: "clock-jump",
  async inject(world) {
    const { server } = world.scene;
    await server.seam.setClock(world.random.between(-2 * DAY_MS, 2 * DAY_MS));
    await holdOn(world);
    await server.seam.setClock(0);
    return DONE;
  },
};
