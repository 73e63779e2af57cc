import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { picture } from "../../workspace/git-scene.ts";
import { isSamePicture, pictureDifference } from "../scene/pictures.ts";
import { sessionOf } from "../scene/workshop.ts";
import { cutOff } from "./cut-off.ts";
import { type Fault, outcomeOf } from "./fault.ts";

const FILES = 60;
const MOVE_MS = 60;
const HALF = 0.5;

/** `kill -9` of the server in a restore: the files are as before or as wanted, or the user is asked and gets either. */
export const restoreKill: Fault = {
  name: "restore-kill",
  async inject(world) {
    const { random, scene } = world;
    const workshop = await scene.workshop();
    const tree = await workshop.treeWithWork();
    const sessionId = sessionOf(tree);
    if (tree.checkpoints.size === 0) await workshop.work(tree, 1);
    await workshop.work(tree, FILES);
    const before = tree.files;
    const [checkpointId, wanted] = random.pick([...tree.checkpoints].slice(0, -1));
    const { version, own } = await workshop.ask("checkpoint:preview", {
      type: "checkpoint:preview",
      sessionId,
      checkpointId,
    });
    if (own.length === 0) return { breaches: [`nothing could be restored to ${checkpointId}`] };
    const vaults = join(scene.dirs.data, "vaults");
    const answer = await cutOff(world, workshop, {
      run: () => workshop.attempt({ type: "checkpoint:restore", sessionId, checkpointId, expect: version }),
      hasBegun: () => readdirSync(vaults).some((name) => existsSync(join(vaults, name, "intent.json"))),
      stepMs: MOVE_MS,
    });
    const scope = { kind: "base" } as const;
    const { cutOff: half } = await workshop.ask("changes:state", { type: "changes:open", sessionId, scope });
    const way = random.fraction() < HALF ? "finish" : "put-back";
    if (half !== null) await workshop.ask("ok", { type: "checkpoint:settle", sessionId, way });
    tree.files = await picture(tree.path);
    const isRestored = isSamePicture(tree.files, wanted.files);
    if (!isRestored && !isSamePicture(tree.files, before))
      return { breaches: [`a restore was cut in half: ${pictureDifference(tree.files, before)}`] };
    if (answer.type === "checkpoint:restored" && !isRestored)
      return { breaches: ["a restore was answered and is not there"] };
    if (half !== null && isRestored !== (way === "finish"))
      return { breaches: [`a restore that was cut off was settled (${way}) the other way`] };
    // The next turn is told what was restored, and works.
    await workshop.work(tree, 1);
    return outcomeOf([]);
  },
};
