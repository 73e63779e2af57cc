import type { SessionId } from "../../../src/protocol/ids.ts";
import type { Reader } from "../scene/reader.ts";
import type { Scene } from "../scene/scene.ts";
import { differenceOf } from "../scene/state-difference.ts";
import type { Invariant } from "./invariant.ts";

/** All readers, whatever happened to their wires, show the same, and it is what the log comes to. */
export const readersEqual: Invariant = {
  name: "all readers show what the log comes to",
  breach: "divergent",
  async check(scene) {
    const everyone = [...scene.readers, scene.user.reader];
    const late = await scene.until(() => elsewhere(scene, everyone));
    if (late !== null) return [late];
    const refused = everyone.flatMap(({ refusals }) => refusals);
    return scene.sessions.flatMap((sessionId) => divergent(scene, sessionId, everyone)).concat(refused);
  },
};

/** Some facts come when all seems over (an agent that is back): everyone has to stand at the same place. */
function elsewhere({ sessions, follower }: Scene, everyone: readonly Reader[]): string | null {
  follower.poll();
  for (const sessionId of sessions) {
    const { seq } = follower.folded(sessionId).state;
    const late = everyone.find((reader) => reader.state(sessionId).seq !== seq);
    if (late) return `${late.name} stays at ${late.state(sessionId).seq} of ${seq} in ${sessionId}`;
  }
  return null;
}

function divergent({ follower }: Scene, sessionId: SessionId, everyone: readonly Reader[]): string[] {
  const { state } = follower.folded(sessionId);
  return everyone.flatMap((reader) => {
    const difference = differenceOf(reader.state(sessionId), state);
    return difference === null ? [] : [`${reader.name} differs in ${sessionId}: ${difference}`];
  });
}
