import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WorktreePlace } from "../../src/ports/worktrees.ts";
import { SessionId, TurnId } from "../../src/protocol/ids.ts";
import type { NewWorktree, WorktreeFacts } from "../../src/protocol/worktrees.ts";
import { deleteDirectory, refuseMounts } from "../../src/workspace/worktrees/delete-directory.ts";
import { uncommittedOf } from "../../src/workspace/worktrees/facts.ts";
import { QUARANTINE_MS } from "../../src/workspace/worktrees/local-worktrees.ts";
import { WorktreeRecord } from "../../src/workspace/worktrees/records.ts";
import { lockWorktree, unlockWorktree } from "../../src/workspace/worktrees/registration.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";
import { one, openWorktrees, USER_ENV, worktreeScene } from "./worktree-scene.ts";

type Scene = Awaited<ReturnType<typeof worktreeScene>>;
const make = (at: Scene, request: NewWorktree = {}, title = "Fix the login") =>
  at.worktrees.create(at.project, { title, ...request });
const quarantineOf = ({ path, name }: WorktreePlace) => join(dirname(dirname(path)), ".quarantine", name);
const adminOf = (at: Scene, { name }: WorktreePlace) => join(at.root, ".git/worktrees", name);
const SESSION = SessionId.parse("claude-code:one");

/** A remote that has what the repository has. */
function addRemote(at: Scene): void {
  git(at.dir.path, "clone", "-q", "--bare", at.root, at.dir.join("remote.git"));
  git(at.root, "remote", "add", "origin", at.dir.join("remote.git"));
  git(at.root, "fetch", "-q", "origin");
}

/** Removed long enough ago for the timer. */
async function removedLongAgo(at: Scene, place: WorktreePlace): Promise<void> {
  await at.worktrees.remove(place.worktreeId);
  at.pass(QUARANTINE_MS + 1);
}

test("[WS-32] a removed worktree waits in quarantine, and Return brings everything back, ignored files included", async () => {
  await using at = await worktreeScene({ ".gitignore": ".env\nout/\n", "a.txt": "one\n", "b.txt": "two\n" });
  const place = await make(at);
  await write(place.path, {
    "a.txt": "changed\n",
    "b.txt": "staged\n",
    "new.txt": "new\n",
    ".env": "KEY=1\n",
    "out/x": "x",
  });
  git(place.path, "add", "b.txt");
  const [before, status] = [await picture(place.path, []), git(place.path, "status", "--porcelain")];
  await at.worktrees.remove(place.worktreeId);
  expect(existsSync(place.path)).toBe(false);
  expect(await at.worktrees.find(place.worktreeId)).toBeNull();
  const quarantine = quarantineOf(place);
  expect(await picture(quarantine, [])).toEqual(before);
  expect(one(await at.worktrees.list(at.project), place.name)).toMatchObject({ status: "removed", path: quarantine });
  expect(git(at.root, "worktree", "list", "--porcelain")).toContain(`worktree ${quarantine}`);
  // The last state is in a checkpoint, too.
  const vaults = await readdir(at.dir.join("data/vaults"));
  const refs = vaults.map((vault) => git(at.dir.join("data/vaults"), "--git-dir", vault, "for-each-ref"));
  expect(refs.join("")).toContain("refs/c/");
  // What others do with Git meanwhile does not harm it.
  git(at.root, "worktree", "prune");
  git(at.root, "gc", "-q", "--prune=now");
  await expect(at.worktrees.remove(place.worktreeId)).rejects.toThrow("in quarantine");
  at.restart();
  await at.worktrees.bringBack(place.worktreeId);
  expect(await picture(place.path, [])).toEqual(before);
  expect(git(place.path, "status", "--porcelain")).toBe(status);
  expect(await at.worktrees.find(place.worktreeId)).toEqual(place);
  expect(git(at.root, "worktree", "list", "--porcelain")).not.toContain("locked");
  expect(at.errors).toEqual([]);
});

test("[WS-34] what is uncommitted in submodules counts once each, and nothing runs that their own settings name", async () => {
  await using at = await gitScene();
  await using library = await gitScene({ ".gitattributes": "*.txt filter=x\n", "lib.txt": "one\n" });
  for (const name of ["first", "second", "third"]) git(at.root, "submodule", "add", "-q", library.root, name);
  git(at.root, "commit", "-qm", "submodules");
  expect(await uncommittedOf(at.root)).toBe(0);
  const canary = at.dir.join("canary");
  for (const name of ["first", "second"]) git(join(at.root, name), "config", "filter.x.clean", `touch ${canary}; cat`);
  await write(at.root, { "first/lib.txt": "two\n", "second/new.md": "new\n", "a.txt": "two\n" });
  git(join(at.root, "third"), "commit", "-q", "--allow-empty", "-m", "another");
  expect(await uncommittedOf(at.root)).toBe(4);
  expect(existsSync(canary)).toBe(false);
  // The scene itself would show it: the user's own Git runs the filter.
  git(at.root, "status", "--porcelain");
  expect(existsSync(canary)).toBe(true);
});

test("[WS-30] removal and deletion work with submodules, links, read-only and ignored files; targets of links stay", async () => {
  await using at = await worktreeScene({ ".gitignore": ".env\n", "a.txt": "one\n" });
  const library = at.dir.join("library");
  await mkdir(library);
  git(library, "init", "-q", "-b", "main");
  await write(library, { "lib.txt": "lib\n" });
  git(library, "add", "-A");
  git(library, "commit", "-qm", "lib");
  git(at.root, "submodule", "add", "-q", library, "deps/library");
  git(at.root, "commit", "-qm", "submodule");
  const outside = at.dir.join("outside");
  await write(outside, { "kept/file.txt": "kept\n" });
  const place = await make(at);
  git(place.path, "submodule", "update", "-q", "--init");
  await write(place.path, { ".env": "KEY=1\n", "locked/deep/file.txt": "x\n", "deps/library/own.txt": "own\n" });
  await symlink(outside, join(place.path, "link-to-directory"));
  await symlink(join(outside, "kept/file.txt"), join(place.path, "link-to-file"));
  await chmod(join(place.path, "locked/deep/file.txt"), 0o400);
  for (const name of ["locked/deep", "locked"]) await chmod(join(place.path, name), 0o500);
  const before = await picture(place.path, []);
  await at.worktrees.remove(place.worktreeId);
  expect(await picture(quarantineOf(place), [])).toEqual(before);
  await at.worktrees.bringBack(place.worktreeId);
  expect(await picture(place.path, [])).toEqual(before);
  expect(git(join(place.path, "deps/library"), "status", "--porcelain")).toBe("?? own.txt\n");
  await at.worktrees.remove(place.worktreeId);
  await at.worktrees.purge(place.worktreeId);
  expect(existsSync(quarantineOf(place))).toBe(false);
  expect(existsSync(adminOf(at, place))).toBe(false);
  expect(await picture(outside)).toEqual({ "kept/file.txt": expect.any(String) });
  expect(await at.worktrees.list(at.project)).toEqual([]);
  expect(git(at.root, "worktree", "list", "--porcelain")).not.toContain(place.name);
});

test("[WS-30] a file system that is mounted inside refuses removal and deletion", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  const list = at.dir.join("mountinfo");
  await writeFile(list, `36 35 98:0 / ${place.path}/my\\040disk rw - ext4 /dev/x rw\n`);
  await expect(refuseMounts(place.path, list)).rejects.toThrow(`mounted at ${place.path}/my disk`);
  await expect(refuseMounts(`${place.path}/m`, list)).resolves.toBeUndefined();
  // The kernel's own list: its files are on another device.
  await expect(refuseMounts("/proc")).rejects.toThrow("mounted at /proc");
  await expect(deleteDirectory("/proc", ".git")).rejects.toThrow("mounted at /proc");
  // A real mount, where this machine lets us have one that nobody else sees.
  if (Bun.which("unshare") === null || Bun.spawnSync(["unshare", "-m", "true"]).exitCode !== 0) return;
  await write(place.path, { "disk/in-the-way.txt": "x\n" });
  const before = await picture(place.path, []);
  const mount = `mount -t tmpfs none ${place.path}/disk && touch ${place.path}/disk/theirs && exec "$@"`;
  const program = join(import.meta.dirname, "programs/worktree-step.ts");
  const step = [process.execPath, program, at.dir.path, at.root, "remove", place.worktreeId];
  const run = Bun.spawnSync(["unshare", "-m", "sh", "-c", mount, "sh", ...step], { stderr: "pipe" });
  expect(run.stderr.toString()).toContain(`mounted at ${place.path}/disk`);
  expect(await picture(place.path, [])).toEqual(before);
  expect(await at.worktrees.find(place.worktreeId)).toEqual(place);
});

test("[WS-31] what lacks marker, directory or registration is not ours, and is not touched", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  const admin = adminOf(at, place);
  const refuses = async (harm: () => Promise<unknown>, mend: () => Promise<unknown>) => {
    await harm();
    const before = [await picture(place.path, []), await picture(admin, ["index"])];
    await expect(at.worktrees.remove(place.worktreeId)).rejects.toMatchObject({ refusal: { code: "NOT_OURS" } });
    expect([await picture(place.path, []), await picture(admin, ["index"])]).toEqual(before);
    await mend();
  };
  const swap = (path: string) => [() => rename(path, `${path}.away`), () => rename(`${path}.away`, path)] as const;
  await refuses(...swap(join(admin, "liminal-builder")));
  await refuses(...swap(join(admin, "gitdir")));
  await refuses(...swap(join(place.path, ".git")));
  const gitdir = await readFile(join(admin, "gitdir"), "utf8");
  await refuses(
    () => writeFile(join(admin, "gitdir"), `${place.path}-other/.git\n`),
    () => writeFile(join(admin, "gitdir"), gitdir),
  );
  // A copy at the same path has another inode.
  await refuses(
    async () => {
      await rename(place.path, `${place.path}.away`);
      await cp(`${place.path}.away`, place.path, { recursive: true });
    },
    async () => {
      await rm(place.path, { recursive: true });
      await rename(`${place.path}.away`, place.path);
    },
  );
  await at.worktrees.remove(place.worktreeId);
  await rm(join(admin, "liminal-builder"));
  const quarantined = await picture(quarantineOf(place), []);
  await expect(at.worktrees.purge(place.worktreeId)).rejects.toMatchObject({ refusal: { code: "NOT_OURS" } });
  await expect(at.worktrees.bringBack(place.worktreeId)).rejects.toMatchObject({ refusal: { code: "NOT_OURS" } });
  expect(await picture(quarantineOf(place), [])).toEqual(quarantined);
});

test("[WS-31] worktrees of others are listed and never touched", async () => {
  await using at = await worktreeScene();
  const theirs = at.dir.join("theirs");
  git(at.root, "worktree", "add", "-q", "-b", "their-branch", theirs);
  await write(theirs, { "new.txt": "new\n" });
  const before = await picture(theirs, []);
  const [listed] = await at.worktrees.list(at.project);
  expect(listed).toMatchObject({ isOurs: false, status: "ready", path: theirs, branch: "their-branch", base: null });
  expect(await at.facts("theirs")).toMatchObject({ uncommittedFiles: 1 });
  if (!listed) throw new Error("it is listed");
  expect(await at.worktrees.find(listed.worktreeId)).toBeNull();
  for (const act of ["remove", "bringBack", "purge"] as const)
    await expect(at.worktrees[act](listed.worktreeId)).rejects.toMatchObject({ refusal: { code: "NOT_OURS" } });
  expect(await picture(theirs, [])).toEqual(before);
});

test("[WS-28] a worktree that the user has locked is not removed", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  git(at.root, "worktree", "lock", "--reason", "on a stick", place.path);
  await expect(at.worktrees.remove(place.worktreeId)).rejects.toThrow("locked (on a stick)");
  expect(await at.worktrees.find(place.worktreeId)).toEqual(place);
  git(at.root, "worktree", "unlock", place.path);
  await at.worktrees.remove(place.worktreeId);
});

const WORK: Readonly<Record<string, (at: Scene, place: WorktreePlace) => Promise<unknown> | unknown>> = {
  "an untracked file": (_, { path }) => write(path, { "new.txt": "new\n" }),
  "a changed file": (_, { path }) => write(path, { "a.txt": "changed\n" }),
  "an ignored file": (_, { path }) => write(path, { "own.log": "log\n" }),
  "a changed copy of the project's": (_, { path }) => write(path, { ".env": "KEY=other\n" }),
  "an unmerged commit": (at, { path, branch }) => {
    git(path, "commit", "-q", "--allow-empty", "-m", "work");
    git(path, "push", "-q", at.dir.join("remote.git"), branch);
    git(at.root, "fetch", "-q", "origin");
  },
  "a commit that is merged and not pushed": (at, { path, branch }) => {
    git(path, "commit", "-q", "--allow-empty", "-m", "work");
    git(at.root, "merge", "-q", "--ff-only", branch);
  },
  "no remote": (at) => git(at.root, "remote", "remove", "origin"),
  "a change in a file that Git was told to skip": async (_at, { path }) => {
    git(path, "update-index", "--skip-worktree", "a.txt");
    await write(path, { "a.txt": "mine\n" });
  },
  "a change in a file that Git was told to take for unchanged": async (_at, { path }) => {
    git(path, "update-index", "--assume-unchanged", "a.txt");
    await write(path, { "a.txt": "mine\n" });
  },
};

for (const [work, doWork] of Object.entries(WORK))
  test(`[WS-29] no timer deletes a worktree with work in it: ${work}`, async () => {
    await using at = await worktreeScene({
      ".gitignore": "*.log\n.env\n",
      ".worktreeinclude": ".env\n",
      "a.txt": "1\n",
    });
    await write(at.root, { ".env": "KEY=1\n" });
    addRemote(at);
    const place = await make(at);
    await doWork(at, place);
    const before = await picture(place.path, []);
    await removedLongAgo(at, place);
    expect(await at.worktrees.purgeOld()).toBe(0);
    expect(await picture(quarantineOf(place), [])).toEqual(before);
    expect((await at.facts(place.name)).sizeBytes).toBeGreaterThan(0);
    expect(at.errors).toEqual([]);
  });

test("[WS-29] the timer deletes what is clean, merged, pushed and has been in quarantine for 14 days, and its branch", async () => {
  await using at = await worktreeScene({ ".gitignore": ".env\n", ".worktreeinclude": ".env\n", "a.txt": "1\n" });
  await write(at.root, { ".env": "KEY=1\n" });
  addRemote(at);
  const [place, other] = [await make(at), await make(at)];
  await at.worktrees.remove(place.worktreeId);
  at.pass(QUARANTINE_MS - 60_000);
  expect(await at.worktrees.purgeOld()).toBe(0);
  at.pass(60_001);
  expect(await at.worktrees.purgeOld()).toBe(1);
  expect(existsSync(quarantineOf(place))).toBe(false);
  expect(git(at.root, "branch", "--format=%(refname:short)").trim().split("\n")).toEqual([other.branch, "main"].sort());
  expect((await at.worktrees.list(at.project)).map(({ name }) => name)).toEqual([other.name]);
});

test("deleting by hand keeps an unmerged branch, and its commits in a bundle", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  await write(place.path, { "a.txt": "work\n" });
  git(place.path, "commit", "-qam", "work");
  const tip = git(place.path, "rev-parse", "HEAD").trim();
  git(place.path, "checkout", "-q", "--detach");
  git(place.path, "commit", "-q", "--allow-empty", "-m", "on no branch");
  const detached = git(place.path, "rev-parse", "HEAD").trim();
  await expect(at.worktrees.purge(place.worktreeId)).rejects.toThrow("Remove it first");
  await at.worktrees.remove(place.worktreeId);
  await at.worktrees.purge(place.worktreeId);
  expect(git(at.root, "rev-parse", place.branch).trim()).toBe(tip);
  const bundle = at.dir.join(`data/worktrees/kept/${place.worktreeId}.bundle`);
  git(at.root, "reflog", "expire", "--expire=now", "--all");
  git(at.root, "gc", "-q", "--prune=now");
  git(at.root, "fetch", "-q", bundle, "HEAD:refs/heads/rescued");
  expect(git(at.root, "rev-parse", "rescued").trim()).toBe(detached);
});

test("[X-23] [WS-34] the list comes at once; size, uncommitted, unpushed and merged follow", async () => {
  await using at = await worktreeScene({ ".gitignore": "*.log\n", "a.txt": "1\n" });
  addRemote(at);
  const place = await make(at);
  await write(place.path, { "a.txt": "work\n" });
  git(place.path, "commit", "-qam", "work");
  await write(place.path, { "a.txt": "more\n", "new.txt": "new\n", "x.log": "x", "y.log": "y" });
  git(at.root, "commit", "-q", "--allow-empty", "-m", "meanwhile");
  let told = 0;
  using _listening = at.worktrees.onChanged(() => {
    told += 1;
  });
  const first = one(await at.worktrees.list(at.project), place.name);
  expect(first.facts.lookedAt).toBeNull();
  const facts = await at.facts(place.name);
  // Within 5 s: the first look, which has begun with the list, tells all. It says so twice, the size last; no timer, no
  // second look. How long Git takes is the machine's.
  expect(told).toBe(2);
  expect(facts).toEqual({
    uncommittedFiles: 2,
    hasRemote: true,
    unpushedCommits: 1,
    aheadCommits: 1,
    behindCommits: 1,
    isMerged: false,
    isContained: false,
    ignoredFiles: 2,
    sizeBytes: expect.any(Number),
    lookedAt: expect.any(String),
  });
  at.worktrees.used(place.worktreeId);
  await at.worktrees.settled();
  expect(one(await at.worktrees.list(at.project), place.name).lastUsedAt).not.toBeNull();
  await at.worktrees.stop();
});

test("[WS-34] what changed is looked at again at once, a squash counts as merged, and without a remote nothing is unpushed", async () => {
  await using at = await worktreeScene();
  const place = await at.worktrees.create(at.project, { title: "Task" });
  const untilFacts = async (isReached: (facts: WorktreeFacts) => boolean): Promise<WorktreeFacts> => {
    for (;;) {
      const changed = Promise.withResolvers<void>();
      using _listening = at.worktrees.onChanged(() => changed.resolve());
      const { facts } = one(await at.worktrees.list(at.project), place.name);
      if (isReached(facts)) return facts;
      await changed.promise;
    }
  };
  expect(await untilFacts(({ isMerged }) => isMerged !== null)).toMatchObject({
    hasRemote: false,
    unpushedCommits: null,
  });
  for (const text of ["1\n", "2\n"]) {
    await write(place.path, { "a.txt": text, [`${text.trim()}.txt`]: text });
    at.worktrees.used(place.worktreeId);
    await untilFacts(({ uncommittedFiles }) => uncommittedFiles === (text === "1\n" ? 2 : 3));
  }
  git(place.path, "add", "-A");
  git(place.path, "commit", "-qm", "work");
  await at.worktrees.moved(at.project);
  expect(await untilFacts(({ isMerged }) => isMerged === false)).toMatchObject({ isContained: false, aheadCommits: 1 });
  git(at.root, "merge", "-q", "--squash", place.branch);
  git(at.root, "commit", "-qm", "squashed");
  await at.worktrees.moved(at.project);
  expect(await untilFacts(({ isContained }) => isContained === true)).toMatchObject({
    isMerged: false,
    aheadCommits: 1,
  });
  await at.worktrees.stop();
});

test("[WS-16] locking and unlocking succeed when a Git of a killed server does the same at that moment", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  const file = at.dir.join(`data/worktrees/${place.worktreeId}.json`);
  const record = WorktreeRecord.parse(JSON.parse(await readFile(file, "utf8")));
  const locked = () => git(at.root, "worktree", "list", "--porcelain").includes("locked");
  // All of them look before the first one acts.
  await Promise.all([1, 2, 3].map(() => lockWorktree(record, place.path, USER_ENV)));
  expect(locked()).toBe(true);
  await Promise.all([1, 2, 3].map(() => unlockWorktree(record, place.path, USER_ENV)));
  expect(locked()).toBe(false);
});

test("[WS-16] locks that a killed Git has left on the branch are removed when its deletion continues; a foreign one stays", async () => {
  await using at = await worktreeScene();
  for (const isForeign of [false, true]) {
    const place = await make(at);
    await at.worktrees.remove(place.worktreeId);
    const file = at.dir.join(`data/worktrees/${place.worktreeId}.json`);
    await writeFile(file, (await readFile(file, "utf8")).replace('"state": "removed"', '"state": "purging"'));
    const [own, packed] = [`.git/refs/heads/${place.branch}.lock`, ".git/packed-refs.lock"];
    await write(at.root, { [own]: "" });
    await write(at.root, { [packed]: "" });
    if (isForeign) await utimes(join(at.root, packed), 0, 0);
    at.restart();
    await at.worktrees.settled();
    expect(await at.worktrees.list(at.project)).toEqual([]);
    expect(existsSync(join(at.root, own))).toBe(false);
    expect(existsSync(join(at.root, packed))).toBe(isForeign);
  }
});

test("a damaged record is reported and stays; others work on", async () => {
  await using at = await worktreeScene();
  const [broken, whole] = [await make(at), await make(at)];
  const file = at.dir.join(`data/worktrees/${broken.worktreeId}.json`);
  const text = (await readFile(file, "utf8")).slice(0, -20);
  await writeFile(file, text);
  at.restart();
  const listed = await at.worktrees.list(at.project);
  expect(listed.find(({ status }) => status === "stuck")?.problem).toContain(file);
  expect(await at.worktrees.find(whole.worktreeId)).toEqual(whole);
  expect(await at.worktrees.find(broken.worktreeId)).toBeNull();
  expect(await readFile(file, "utf8")).toBe(text);
  expect(at.errors).toHaveLength(1);
});

test("a worktree whose directory is gone is missing; one that cannot be settled has advice, and Repair settles it", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  await rename(place.path, at.dir.join("elsewhere"));
  expect(await at.worktrees.find(place.worktreeId)).toBeNull();
  expect(one(await at.worktrees.list(at.project), place.name)).toMatchObject({ status: "missing" });
  // As a server leaves it that was killed while it removed the worktree.
  const file = at.dir.join(`data/worktrees/${place.worktreeId}.json`);
  await writeFile(file, (await readFile(file, "utf8")).replace('"ready"', '"removing"'));
  at.restart();
  await at.worktrees.settled();
  const stuck = one(await at.worktrees.list(at.project), place.name);
  expect(stuck.status).toBe("stuck");
  expect(stuck.problem).toContain(`neither at ${place.path} nor at`);
  await expect(at.worktrees.repair(place.worktreeId)).rejects.toThrow("neither at");
  await rename(at.dir.join("elsewhere"), place.path);
  await at.worktrees.repair(place.worktreeId);
  expect(await at.worktrees.find(place.worktreeId)).toEqual(place);
  // One that is gone for good can be forgotten. Commits that only it had are kept.
  git(place.path, "checkout", "-q", "--detach");
  git(place.path, "commit", "-q", "--allow-empty", "-m", "on no branch");
  await rm(place.path, { recursive: true });
  await expect(at.worktrees.remove(place.worktreeId)).rejects.toThrow("Its directory is gone");
  await at.worktrees.purge(place.worktreeId);
  expect(await at.worktrees.list(at.project)).toEqual([]);
  expect(existsSync(adminOf(at, place))).toBe(false);
  expect(existsSync(at.dir.join(`data/worktrees/kept/${place.worktreeId}.bundle`))).toBe(true);
});

test("[WS-33] carrying brings uncommitted work by tree, with a checkpoint on both sides", async () => {
  await using at = await worktreeScene({
    "a.txt": "1\n",
    "gone.txt": "x\n",
    "src/b.txt": "2\n",
    ".gitignore": "*.log\n",
  });
  await write(at.root, { "a.txt": "changed\n", "src/b.txt": "staged\n", "new file.txt": "new\n", "x.log": "ignored" });
  await writeFile(join(at.root, "private.txt"), "p\n", { mode: 0o600 });
  await writeFile(join(at.root, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  await symlink("a.txt", join(at.root, "link"));
  await rm(join(at.root, "gone.txt"));
  git(at.root, "add", "src/b.txt");
  const before = { files: await picture(at.root), status: git(at.root, "status", "--porcelain") };
  const place = await make(at, { carry: true });
  const { "x.log": _ignored, ...carried } = before.files;
  expect(await picture(place.path)).toEqual(carried);
  expect(git(place.path, "diff", "--name-only", "HEAD").split("\n")).toContain("gone.txt");
  expect({ files: await picture(at.root), status: git(at.root, "status", "--porcelain") }).toEqual(before);
  // The other way, to a worktree that is there.
  const other = await make(at);
  expect(await at.worktrees.carry(place.cwd, other.cwd, SESSION)).toEqual({ files: 7 });
  expect(await picture(other.path)).toEqual(carried);
  for (const { cwd } of [place, other])
    expect((await at.workdirs.checkpoints({ sessionId: SESSION, cwd })).map(({ phase }) => phase)).toContain("safety");
  // What was there before is in the checkpoint.
  const [safety] = await at.workdirs.checkpoints({ sessionId: SESSION, cwd: other.cwd });
  if (!safety) throw new Error("it is listed");
  const piece = await at.workdirs.read(other.cwd, { path: "a.txt", at: safety.checkpointId, from: 0, bytesMax: 100 });
  expect(JSON.stringify(piece)).toContain("1\\n");
});

test("[WS-33] work that cannot be carried changes nothing", async () => {
  await using at = await worktreeScene({ "a.txt": "1\n", "b.txt": "2\n" });
  const place = await make(at);
  await write(at.root, { "a.txt": "changed\n" });
  const sides = async () => [await picture(at.root), await picture(place.path)];
  const refuses = async (words: string) => {
    const before = await sides();
    await expect(at.worktrees.carry(at.root, place.path, SESSION)).rejects.toThrow(words);
    expect(await sides()).toEqual(before);
  };
  await write(place.path, { "own.txt": "own\n" });
  await refuses("uncommitted work of its own: own.txt");
  await rm(join(place.path, "own.txt"));
  await write(at.root, { "huge.bin": "x".repeat(11 * 1024 * 1024) });
  await refuses("cannot be carried: huge.bin");
  await rm(join(at.root, "huge.bin"));
  await write(place.path, { "a.txt": "theirs\n" });
  git(place.path, "commit", "-qam", "theirs");
  await refuses("Both branches have different versions of what is not committed: a.txt");
  const known = at.known();
  await expect(make(at, { carry: true, base: place.branch })).rejects.toThrow("Both branches");
  expect(at.known()).toEqual(known);
  git(at.root, "checkout", "-q", "a.txt");
  await write(at.root, { "b.txt": "changed\n" });
  expect(await at.worktrees.carry(at.root, place.path, SESSION)).toEqual({ files: 1 });
  const off = openWorktrees(at.dir.path, undefined, { isOn: false });
  await expect(off.worktrees.carry(at.root, place.path, SESSION)).rejects.toThrow("checkpoints");
});

test("[WS-33] carried again by the same session, work replaces what the first try brought, and nothing else", async () => {
  await using at = await worktreeScene({ "a.txt": "1\n", "b.txt": "2\n" });
  const place = await make(at);
  const carry = (sessionId = SESSION) => at.worktrees.carry(at.root, place.path, sessionId);
  await write(at.root, { "a.txt": "changed\n", "new.txt": "new\n" });
  expect(await carry()).toEqual({ files: 2 });
  // As after a server that was killed before the session was stored as moved.
  await rm(join(at.root, "new.txt"));
  await write(at.root, { "a.txt": "changed again\n", "b.txt": "changed\n" });
  at.restart();
  expect(await carry()).toEqual({ files: 2 });
  expect(await picture(place.path)).toEqual(await picture(at.root));
  // Work of somebody else is never replaced.
  const before = await picture(place.path);
  await expect(carry(SessionId.parse("claude-code:other"))).rejects.toThrow("work of its own: a.txt, b.txt");
  await write(place.path, { "b.txt": "the user's\n" });
  await expect(carry()).rejects.toThrow("uncommitted work of its own: b.txt. Commit");
  expect(await picture(place.path)).toEqual({ ...before, "b.txt": (await picture(place.path))["b.txt"] ?? "" });
  // Nor is a file that is a beginning of what was brought, once that was whole.
  await write(place.path, { "b.txt": "cha" });
  await expect(carry()).rejects.toThrow("uncommitted work of its own: b.txt. Commit");
});

test("checkpoints and restores work inside a worktree", async () => {
  await using at = await worktreeScene();
  const { cwd } = await make(at);
  const place = { sessionId: SESSION, cwd };
  await at.workdirs.turnStarts(place, TurnId.parse("turn-1"));
  await write(cwd, { "a.txt": "agent\n", "new.txt": "new\n" });
  const changes = await at.workdirs.turnEnded(place, TurnId.parse("turn-1"), []);
  expect(changes?.files.map(({ path }) => path).sort()).toEqual(["a.txt", "new.txt"]);
  if (!changes) throw new Error("there are changes");
  const preview = await at.workdirs.previewRestore(place, changes.before);
  await at.workdirs.restore(place, { checkpointId: changes.before, paths: null, expect: preview.version });
  expect(await picture(cwd)).toEqual(await picture(at.root));
  expect(git(cwd, "status", "--porcelain")).toBe("");
});
