import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { git, picture } from "../../workspace/git-scene.ts";
import { pictureDifference } from "../scene/pictures.ts";
import { readUserState, type Tree, type Workshop } from "../scene/workshop.ts";
import type { Invariant } from "./invariant.ts";

/** Every file and commit of the user and of agents is where it must be: directory, worktree, quarantine, checkpoint. */
export const filesKept: Invariant = {
  name: "every file and commit is where it must be",
  breach: "lost",
  async check({ openWorkshop }) {
    const workshop = await openWorkshop;
    if (workshop === null) return [];
    const { root, files, userState, trees } = workshop;
    const breaches: string[] = [];
    const own = pictureDifference(await picture(root), files);
    if (own !== null) breaches.push(`the user's directory: ${own}`);
    const now = readUserState(root);
    if (JSON.stringify(now) !== JSON.stringify(userState))
      breaches.push(
        `the user's refs, stash, index or config: ${JSON.stringify(now)}, was ${JSON.stringify(userState)}`,
      );
    for (const tree of trees) breaches.push(...(await wrongIn(workshop, tree)));
    return breaches;
  },
};

async function wrongIn(workshop: Workshop, tree: Tree): Promise<string[]> {
  const { name, branch, tip, isRemoved, sessionId, files, checkpoints } = tree;
  const place = workshop.placeOf(tree);
  if (!existsSync(place)) return [`${name} is not at ${place}`];
  const difference = pictureDifference(await picture(place), files);
  const found = git(workshop.root, "rev-parse", `refs/heads/${branch}`).trim();
  const breaches = [
    ...(difference === null ? [] : [`${name}: ${difference}`]),
    ...(found === tip ? [] : [`${branch} is at ${found}, was at ${tip}`]),
  ];
  if (isRemoved || sessionId === null) return breaches;
  for (const [at, { path, content }] of checkpoints) {
    const answer = await workshop.attempt({ type: "files:read", sessionId, path, at });
    const text = answer.type === "files:text" ? answer.content : JSON.stringify(answer);
    if (text !== content) breaches.push(`${name}: checkpoint ${at} has ${text} as ${path}`);
  }
  return breaches;
}

/** Nothing is half done: no intent, no lock, no directory, registration or branch of ours without a worktree. */
export const nothingHalfDone: Invariant = {
  name: "nothing of a worktree, merge or restore is half done",
  breach: "other",
  async check(scene) {
    const { openWorkshop, dirs } = scene;
    const workshop = await openWorkshop;
    if (workshop === null) return [];
    const { root, trees, keptBranches, directories } = workshop;
    const breaches: string[] = [];
    const listed = (await workshop.list()).filter(({ isOurs }) => isOurs);
    for (const { name, status, problem } of listed)
      if (status !== "ready" && status !== "removed") breaches.push(`${name} is ${status}: ${problem}`);
    const names = trees.map(({ name }) => name).sort();
    const same = (what: string, found: readonly string[], wanted: readonly string[] = names) => {
      if (String([...found].sort()) !== String(wanted))
        breaches.push(`${what}: ${found.join(", ")}, not ${wanted.join(", ")}`);
    };
    same(
      "listed worktrees",
      listed.map(({ name }) => name),
    );
    same("directories", [...namesIn(directories.ready), ...namesIn(directories.quarantine)]);
    same("registrations", namesIn(join(root, ".git/worktrees")));
    const branches = git(root, "branch", "--list", "liminal/*", "--format=%(refname:lstrip=2)").split("\n");
    same("branches", branches.filter(Boolean), [...trees.map(({ branch }) => branch), ...keptBranches].sort());
    breaches.push(...(await filesLike("**/*.lock", join(root, ".git"))));
    breaches.push(...(await filesLike("{merges,worktrees}/*.new", dirs.data)));
    breaches.push(...(await filesLike("merges/*.json", dirs.data)));
    breaches.push(...(await filesLike("vaults/*.git/intent.json*", dirs.data)));
    const vaults = join(dirs.data, "vaults");
    for (const repository of [root, ...namesIn(vaults).map((name) => join(vaults, name))]) {
      // Git lists objects first and reads refs then: what is stored in between seems to be missing, once.
      const damage = await scene.until(() => unsound(repository), SOUND_MS_MAX, SOUND_LOOK_EVERY_MS);
      if (damage !== null) breaches.push(damage);
    }
    return breaches;
  },
};

/** Each terminal has one holder, and the one that was always open looks as to somebody who never left it. */
export const terminalsHeld: Invariant = {
  name: "every terminal has its holder and its screen",
  breach: "orphan",
  async check(scene) {
    const workshop = await scene.openWorkshop;
    if (workshop === null) return [];
    const { terminals } = await workshop.ask("terminal:list", { type: "terminal:list" });
    const others = terminals.filter(({ terminalId }) => terminalId !== workshop.terminal.terminalId);
    const extra = await scene.until(() => {
      const holders = scene.terminalHolderPids();
      return holders.length > terminals.length ? `${holders.length} holders for ${terminals.length} terminals` : null;
    }, GONE_MS_MAX);
    await workshop.terminal.answers();
    const difference = await workshop.terminal.difference();
    return [
      ...others.map(({ kind, title, end }) => `a terminal that nobody opened: ${kind} ${title} ${JSON.stringify(end)}`),
      ...(extra === null ? [] : [extra]),
      ...(difference === null ? [] : [difference]),
    ];
  },
};

const GONE_MS_MAX = 30_000;
const SOUND_MS_MAX = 15_000;
const SOUND_LOOK_EVERY_MS = 500;

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

async function filesLike(pattern: string, cwd: string): Promise<string[]> {
  const found = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd, dot: true }));
  return found.map((name) => `left behind: ${join(cwd, name)}`);
}

/** By Git's own word. */
function unsound(repository: string): string | null {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ["git", "-C", repository, "fsck", "--no-dangling", "--no-progress", "--no-reflogs"],
    { stdout: "pipe", stderr: "pipe" },
  );
  return exitCode === 0 ? null : `git fsck in ${repository}: ${stdout}${stderr}`;
}
