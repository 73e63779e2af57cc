import { ProjectId, SessionId } from "../../../src/protocol/ids.ts";
import { WorktreeId } from "../../../src/protocol/worktree-ref.ts";
import { openWorktrees } from "../worktree-scene.ts";

/** Does one step with a worktree, or makes one; writes a line before it. */
const [directory = "", path = "", step = "", id = ""] = process.argv.slice(2);
const { worktrees } = openWorktrees(directory);
const project = { id: ProjectId.parse("project-1"), path, name: "My Project", addedAt: "" };
await worktrees.settled();
console.log("starting");
if (step === "create") await worktrees.create(project, { title: "killed", carry: true });
else if (step === "remove") await worktrees.remove(WorktreeId.parse(id));
else if (step === "return") await worktrees.bringBack(WorktreeId.parse(id));
else if (step === "purge") await worktrees.purge(WorktreeId.parse(id));
else if (step === "carry") {
  const place = await worktrees.find(WorktreeId.parse(id));
  await worktrees.carry(path, place?.cwd ?? "", SessionId.parse("claude-code:one"));
} else throw new Error(`no such step: ${step}`);
