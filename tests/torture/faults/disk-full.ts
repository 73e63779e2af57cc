import { DONE, type Fault } from "./fault.ts";
import { holdOn } from "./moments.ts";

/** Not a byte is left on the disk of the data directory; a user goes on typing. What is refused must not be done. */
export const diskFull: Fault = {
  name: "disk-full",
  async inject(world) {
    const { scene, random } = world;
    if (!scene.disk) return { skipped: "no private mount namespace here: needs root, or unshare --mount" };
    scene.excuse(/database or disk is full|SQLITE_FULL|ENOSPC|disk I\/O error/);
    scene.disk.fill();
    for (let count = random.between(1, 4); count > 0; count--)
      scene.user.send(random.pick(scene.sessions), "say", random.between(1, 20), 10);
    await holdOn(world);
    scene.disk.empty();
    return DONE;
  },
};
