import { entriesOf } from "../../../src/protocol/fold-message.ts";
import type { SessionId } from "../../../src/protocol/ids.ts";
import type { SessionState } from "../../../src/protocol/session-state.ts";
import type { Reader } from "../scene/reader.ts";
import type { Scene } from "../scene/scene.ts";
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
  const { state, hasGap } = follower.folded(sessionId);
  if (hasGap) return [];
  return everyone.flatMap((reader) => {
    const differs = difference(reader.state(sessionId), state);
    return differs === null ? [] : [`${reader.name} differs in ${sessionId}: ${differs}`];
  });
}

/** A reader that came late has only the newest entries; those must be the same. */
function difference(shown: SessionState, logged: SessionState): string | null {
  const [ours, theirs] = [entriesOf(shown), entriesOf(logged)];
  const expected = shown.hasMore ? theirs.slice(-ours.length) : theirs;
  if (ours.length !== expected.length) return `${ours.length} entries, not ${expected.length}`;
  const at = ours.findIndex((entry, index) => !Bun.deepEquals(entry, expected[index]));
  if (at !== -1)
    return `entry ${at}: ${Bun.inspect(ours[at]).slice(0, 500)}, not ${Bun.inspect(expected[at]).slice(0, 500)}`;
  for (const part of ["seq", "title", "turn", "pending", "queue", "queuePaused"] as const)
    if (!Bun.deepEquals(shown[part], logged[part]))
      return `${part}: ${Bun.inspect(shown[part])}, not ${Bun.inspect(logged[part])}`;
  return null;
}
