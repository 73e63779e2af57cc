import { DONE, type Fault } from "./fault.ts";
import { holdOn } from "./moments.ts";

const REFUSED_MS_MAX = 5_000;

/**
 * Not a byte is left on the disk of the data directory, while agents talk and the user goes on typing. What is refused
 * must not be done, and what was said meanwhile must be stored when there is room again.
 */
export const diskFull: Fault = {
  name: "disk-full",
  async inject(world) {
    const { scene, random } = world;
    const { disk, server, user } = scene;
    if (!disk) return { skipped: "no private mount namespace here: needs root, or unshare --mount" };
    scene.excuse(/database or disk is full|SQLITE_FULL|ENOSPC|disk I\/O error/);
    // A write-ahead log that is long already has room for a while: with a fresh one the next commit needs some.
    await server.detach();
    await server.start();
    disk.fill();
    const typed = Array.from({ length: random.between(1, 4) }, () =>
      user.send(random.pick(scene.sessions), "say", random.between(1, 20), 10),
    );
    const isRefused = () => typed.some(({ answer }) => answer === "refused");
    await scene.until(() => (isRefused() ? null : "all is taken"), REFUSED_MS_MAX);
    await holdOn(world);
    disk.empty();
    return DONE;
  },
};
