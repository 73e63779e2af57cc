import { DONE, type Fault } from "./fault.ts";
import { unclearWords } from "./unclear-words.ts";

/** A server that starts on a data directory it may not write to must say so and change nothing. */
export const readOnly: Fault = {
  name: "read-only-data-dir",
  async inject({ scene: { server, disk } }) {
    if (!disk) return { skipped: "no private mount namespace here: needs root, or unshare --mount" };
    await server.kill();
    if (!disk.setReadOnly()) {
      await server.start();
      return { skipped: "the disk could not be made read-only" };
    }
    const { code, said } = await server.startInVain();
    disk.setWritable();
    await server.start();
    const breaches = unclearWords("on a read-only disk", { code, said }, /LIMINAL_DATA_DIR/);
    return breaches.length === 0 ? DONE : { breaches };
  },
};
