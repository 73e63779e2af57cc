import type { Scene } from "../scene/scene.ts";
import type { Invariant } from "./invariant.ts";

/** A message that was acknowledged is in the transcript; one that was refused is not. */
export const commandsDone: Invariant = {
  name: "every acknowledged command was done",
  breach: "lost",
  check(scene) {
    const times = timesSaid(scene);
    return scene.user.sent.flatMap(({ commandId, sessionId, answer }) => {
      const count = times.get(commandId) ?? 0;
      if (answer === "acknowledged" && count === 0)
        return [`${sessionId}: ${commandId} was acknowledged and is nowhere`];
      if (answer === "refused" && count > 0) return [`${sessionId}: ${commandId} was refused and yet done`];
      return answer === "none" ? [`${sessionId}: ${commandId} was never answered`] : [];
    });
  },
};

/** No message is in the transcript twice, however often it was sent. */
export const commandsDoneOnce: Invariant = {
  name: "no command was done twice",
  breach: "duplicate",
  check(scene) {
    return [...timesSaid(scene)].flatMap(([commandId, count]) =>
      count > 1 ? [`${commandId} is ${count} times in the transcript`] : [],
    );
  },
};

function timesSaid({ follower, sessions }: Scene): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const sessionId of sessions) {
    const { settled, open, queue } = follower.folded(sessionId).state;
    const said = [...settled, ...open].flatMap((entry) => (entry.type === "user" ? [entry.commandId] : []));
    for (const commandId of [...said, ...queue.map((item) => item.commandId)])
      if (commandId !== undefined) times.set(commandId, (times.get(commandId) ?? 0) + 1);
  }
  return times;
}
