import { isLockHeld } from "../operations/instance-lock.ts";

const LOOK_AGAIN_MS = 50;
const START_MS_MAX = 30_000;

/** The server that another command was quicker to start: it has the data directory before it answers. Null where there is none. */
export async function serverOfAnother<Server>(
  dataDir: string,
  look: () => Promise<Server | null>,
): Promise<Server | null> {
  const since = performance.now();
  for (;;) {
    const server = await look();
    if (server || !isLockHeld(dataDir) || performance.now() - since > START_MS_MAX) return server;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
