import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isSamePicture, pictureDifference } from "../scene/pictures.ts";
import { sessionOf } from "../scene/workshop.ts";
import { cutOff } from "./cut-off.ts";
import { type Fault, outcomeOf } from "./fault.ts";
import { withoutSession } from "./worktree-kills.ts";

const MOVE_MS = 1_500;

/** `kill -9` of the server while a session moves to a new worktree with its uncommitted work: it is there, or still here. */
export const sessionMoveKill: Fault = {
  name: "session-move-kill",
  async inject(world) {
    const { scene } = world;
    const workshop = await scene.workshop();
    await workshop.tidy();
    const from = await workshop.treeWithWork();
    const sessionId = sessionOf(from);
    const records = join(scene.dirs.data, "worktrees");
    const before = readdirSync(records).length;
    const answer = await cutOff(world, workshop, {
      run: () => workshop.attempt({ type: "worktree:move-session", sessionId, to: { create: {} } }),
      hasBegun: () => readdirSync(records).length !== before,
      stepMs: MOVE_MS,
    });
    const { sessions } = await workshop.ask("session:list", { type: "session:list", projectId: workshop.projectId });
    const worktree = sessions.find(({ id }) => id === sessionId)?.worktree ?? null;
    const isMoved = worktree?.worktreeId !== from.worktreeId;
    if (answer.type === "worktree:moved" && !isMoved) return { breaches: ["a move was answered and is not there"] };
    const breaches: string[] = [];
    if (isMoved) {
      const to = await workshop.keep(sessionId, worktree);
      from.sessionId = null;
      from.checkpoints.clear();
      if (!isSamePicture(to.files, from.files))
        breaches.push(`the work did not come along: ${pictureDifference(to.files, from.files)}`);
      await workshop.work(to, 1);
    } else await workshop.work(from, 1);
    return outcomeOf([...breaches, ...(await withoutSession(workshop))]);
  },
};
