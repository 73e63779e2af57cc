import { DONE, type Fault } from "./fault.ts";
import { holdOn } from "./moments.ts";

/** SIGSTOP: the server is there and does nothing for a while. */
export const serverStop: Fault = {
  name: "server-sigstop",
  async inject(world) {
    world.scene.server.signal("SIGSTOP");
    await holdOn(world);
    world.scene.server.signal("SIGCONT");
    return DONE;
  },
};
