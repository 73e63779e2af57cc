import type { FaultWorld } from "./fault.ts";

const FACTS_MAX = 400;
const HELD_MS_MIN = 300;
const HELD_MS_MAX = 2_000;

/** The fault comes after a number of facts that chance has chosen, or when nothing moves any more. */
export async function untilChance({ scene, random }: FaultWorld): Promise<void> {
  const wanted = scene.witness.count + random.between(0, FACTS_MAX);
  await scene.until(() => {
    if (scene.witness.count >= wanted) return null;
    return scene.user.unsettled(scene.sessions) === null ? null : "facts are on their way";
  });
}

/** How long a fault that lasts is to last. */
export async function holdOn({ random }: FaultWorld): Promise<void> {
  await Bun.sleep(random.between(HELD_MS_MIN, HELD_MS_MAX));
}
