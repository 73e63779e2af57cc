import { git } from "../../workspace/git-scene.ts";
import { DONE, type Fault } from "./fault.ts";

/** The user rewrites the history of their branch and lets Git delete what nothing names: checkpoints and worktrees stay. */
export const repositoryRewrite: Fault = {
  name: "repository-rewrite",
  async inject({ scene }) {
    const workshop = await scene.workshop();
    const tree = await workshop.treeWithWork();
    await workshop.work(tree, 1);
    const { root } = workshop;
    const commit = git(root, "commit-tree", "HEAD^{tree}", "-m", "rewritten").trim();
    git(root, "update-ref", "refs/heads/main", commit);
    git(root, "branch", "-f", "other", commit);
    git(root, "tag", "-f", "v1", commit);
    git(root, "reflog", "expire", "--expire=now", "refs/heads/main", "refs/heads/other", "HEAD");
    git(root, "gc", "--quiet", "--prune=now");
    await workshop.look();
    return DONE;
  },
};
