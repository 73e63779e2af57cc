import { mkdir } from "node:fs/promises";
import type { ListedWorktree } from "../../src/ports/worktrees.ts";
import { ProjectId } from "../../src/protocol/ids.ts";
import type { Project } from "../../src/protocol/server-messages.ts";
import type { WorktreeFacts } from "../../src/protocol/worktrees.ts";
import { LocalWorkdirs } from "../../src/workspace/workdirs.ts";
import { LocalWorktrees } from "../../src/workspace/worktrees/local-worktrees.ts";
import { git, gitScene } from "./git-scene.ts";

export const USER_ENV = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };

/** Worktrees of a project, all below one directory. */
export function openWorktrees(
  directory: string,
  world = { now: () => Date.now(), newId: () => crypto.randomUUID() as string },
  { isOn = true, root = `${directory}/trees` } = {},
) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const workdirs = new LocalWorkdirs({
    world,
    root: `${directory}/data/vaults`,
    isOn,
    vaultBytesMax: Number.MAX_SAFE_INTEGER,
    editor: { command: null, env: {} },
    env: USER_ENV,
    onError,
  });
  const worktrees = new LocalWorktrees({
    world,
    records: `${directory}/data/worktrees`,
    root,
    dataDirectory: `${directory}/data`,
    workdirs,
    env: USER_ENV,
    onError,
  });
  return { workdirs, worktrees, errors };
}

export async function worktreeScene(files?: Record<string, string>, options?: { isOn?: boolean; root?: string }) {
  const at = await gitScene(files);
  await mkdir(at.dir.join("data"));
  git(at.root, "config", "user.name", "The User");
  git(at.root, "config", "user.email", "user@example.org");
  let offsetMs = 0;
  const world = { now: () => Date.now() + offsetMs, newId: () => crypto.randomUUID() as string };
  const project: Project = {
    id: ProjectId.parse("project-1"),
    path: at.root,
    name: "My Project",
    addedAt: new Date(0).toISOString(),
  };
  let opened = openWorktrees(at.dir.path, world, options);
  return {
    ...at,
    project,
    get worktrees() {
      return opened.worktrees;
    },
    get workdirs() {
      return opened.workdirs;
    },
    get errors() {
      return opened.errors;
    },
    /** As after the end of the server. */
    restart: () => {
      opened = openWorktrees(at.dir.path, world, options);
    },
    pass: (ms: number) => {
      offsetMs += ms;
    },
    /** Everything that Git says of worktrees and branches. */
    known: () => ({
      worktrees: git(at.root, "worktree", "list", "--porcelain"),
      branches: git(at.root, "branch", "--format=%(refname) %(objectname)"),
    }),
    /** The facts once they are known. */
    facts: async (name: string): Promise<WorktreeFacts> => {
      const { worktrees } = opened;
      const look = async () => (await worktrees.list(project)).find((one) => one.name === name)?.facts;
      const { promise, resolve } = Promise.withResolvers<WorktreeFacts>();
      const check = async () => {
        const facts = await look();
        if (facts && facts.sizeBytes !== null) resolve(facts);
      };
      using _listening = worktrees.onChanged(() => void check());
      await check();
      return await promise;
    },
  };
}

export function one(list: readonly ListedWorktree[], name: string): ListedWorktree {
  const found = list.find((worktree) => worktree.name === name);
  if (!found) throw new Error(`no worktree ${name}`);
  return found;
}
