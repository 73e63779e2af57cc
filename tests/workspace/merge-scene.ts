import { join } from "node:path";
import type { WorktreePlace } from "../../src/ports/worktrees.ts";
import { RefusalError } from "../../src/protocol/errors.ts";
import { ProjectId } from "../../src/protocol/ids.ts";
import type { Project } from "../../src/protocol/server-messages.ts";
import { WorktreeId } from "../../src/protocol/worktree-ref.ts";
import { git, gitScene, write } from "./git-scene.ts";

export const ENV = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };

/** A project on `main` with an identity, and worktrees beside it. */
export async function mergeScene(files?: Readonly<Record<string, string>>) {
  const at = await gitScene(files);
  git(at.root, "config", "user.name", "The User");
  git(at.root, "config", "user.email", "user@example.org");
  git(at.root, "config", "gc.auto", "0");
  const project: Project = { id: ProjectId.parse("p"), path: at.root, name: "work", addedAt: "2026-01-01T00:00:00Z" };
  return {
    ...at,
    project,
    /** On a new branch of the same name. */
    addWorktree(name: string, from = "main"): WorktreePlace {
      const path = at.dir.join("trees", name);
      git(at.root, "worktree", "add", "-q", "-b", name, path, from);
      return { worktreeId: WorktreeId.parse(name), projectId: project.id, name, branch: name, path, cwd: path };
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

export async function commit(root: string, files: Readonly<Record<string, string>>, message = "work"): Promise<string> {
  await write(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-qm", message);
  return git(root, "rev-parse", "HEAD").trim();
}

export async function refusalOf(task: Promise<unknown>): Promise<RefusalError["refusal"]> {
  const error = await task.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof RefusalError)) throw error;
  return error.refusal;
}

export const inGitDir = (root: string, name: string) => join(root, ".git", name);
