import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git, picture } from "../../workspace/git-scene.ts";
import { isSamePicture } from "../scene/pictures.ts";
import { sessionOf } from "../scene/workshop.ts";
import { type Fault, outcomeOf } from "./fault.ts";

const HALF = 0.5;

/** Somebody deletes the directory of a worktree: it is said, nothing falls back to the project, its commits are kept. */
export const worktreeDeleted: Fault = {
  name: "worktree-deleted",
  async inject({ scene, random }) {
    const workshop = await scene.workshop();
    await workshop.tidy();
    const tree = await workshop.newTree();
    const sessionId = sessionOf(tree);
    await workshop.work(tree, 1);
    git(tree.path, "add", "-A");
    git(tree.path, "commit", "-qm", "kept");
    tree.tip = git(tree.path, "rev-parse", "HEAD").trim();
    await rm(tree.path, { recursive: true });
    if (random.fraction() < HALF) {
      await scene.server.kill();
      await scene.server.start();
    }
    const { worktreeId, name } = tree;
    const breaches: string[] = [];
    const status = (await workshop.list()).find((one) => one.worktreeId === worktreeId)?.status;
    if (status !== "missing") breaches.push(`${name}, which somebody deleted, is ${status}`);
    const sent = await workshop.attempt({ type: "session:send", sessionId, content: "#0 write 1 1" });
    if (sent.type !== "refused" || sent.refusal.code !== "WORKTREE_NOT_FOUND")
      breaches.push(`a message to a place that is gone was answered by ${JSON.stringify(sent)}`);
    const purged = await workshop.attempt({ type: "worktree:purge", worktreeId, name });
    if (purged.type !== "ok") breaches.push(`${name} cannot be deleted: ${JSON.stringify(purged)}`);
    await workshop.forget(tree);
    return outcomeOf(breaches);
  },
};

/** Somebody puts another directory in the place of a worktree: it is none of ours, and nothing in it is touched. */
export const worktreeSwapped: Fault = {
  name: "worktree-swapped",
  async inject({ scene, random }) {
    const workshop = await scene.workshop();
    const tree = await workshop.treeWithWork();
    const { worktreeId, path, name } = tree;
    const aside = join(scene.dirs.root, "aside");
    await rename(path, aside);
    if (random.fraction() < HALF) await cp(aside, path, { recursive: true });
    else await mkdir(path);
    await writeFile(join(path, "foreign.txt"), "not ours\n");
    const foreign = await picture(path);
    if (random.fraction() < HALF) {
      await scene.server.kill();
      await scene.server.start();
    }
    const breaches: string[] = [];
    const answer = await workshop.attempt({ type: "worktree:remove", worktreeId });
    const isRefused = answer.type === "refused" && /NOT_OURS|WORKTREE_NOT_FOUND/.test(answer.refusal.code);
    if (!isRefused) breaches.push(`removing ${name}, which is another one, was answered by ${JSON.stringify(answer)}`);
    if (!isSamePicture(await picture(path), foreign)) breaches.push(`what was put in the place of ${name} was touched`);
    await rm(path, { recursive: true });
    await rename(aside, path);
    return outcomeOf(breaches);
  },
};
