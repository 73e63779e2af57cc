import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { NewWorktree } from "../../src/protocol/worktrees.ts";
import { git, picture, write } from "./git-scene.ts";
import { one, openWorktrees, worktreeScene } from "./worktree-scene.ts";

type Scene = Awaited<ReturnType<typeof worktreeScene>>;
const make = (at: Scene, request: NewWorktree = {}, title: string | null = "Fix the Login!") =>
  at.worktrees.create(at.project, { title, ...request });

test("a worktree has the files of its base, a branch named after the title, and no lock", async () => {
  await using at = await worktreeScene();
  const place = await make(at);
  expect(place.branch).toMatch(/^liminal\/fix-the-login-[a-z0-9]{4}$/);
  expect(place.path).toBe(join(at.dir.join("trees"), "My-Project", place.name));
  expect(place.cwd).toBe(place.path);
  expect(await picture(place.path)).toEqual(await picture(at.root));
  expect(git(place.path, "status", "--porcelain")).toBe("");
  expect(git(place.path, "branch", "--show-current").trim()).toBe(place.branch);
  expect(git(at.root, "worktree", "list", "--porcelain")).not.toContain("locked");
  expect(await at.worktrees.find(place.worktreeId)).toEqual(place);
  at.restart();
  expect(await at.worktrees.find(place.worktreeId)).toEqual(place);
  expect(one(await at.worktrees.list(at.project), place.name)).toMatchObject({
    isOurs: true,
    status: "ready",
    branch: place.branch,
    base: "main",
  });
  expect(at.errors).toEqual([]);
});

test("base, branch and sparse directories are chosen; the project may be a directory of its repository", async () => {
  await using at = await worktreeScene({ "a.txt": "1\n", "src/b.txt": "2\n", "docs/c.txt": "3\n", "app/d.txt": "4\n" });
  git(at.root, "tag", "old");
  await write(at.root, { "a.txt": "new\n" });
  git(at.root, "commit", "-qam", "second");
  const project = { ...at.project, path: join(at.root, "app") };
  const place = await at.worktrees.create(project, { title: null, base: "old", branch: "feature/x", sparse: ["src"] });
  expect(place.cwd).toBe(join(place.path, "app"));
  expect(place.branch).toBe("feature/x");
  expect(Object.keys(await picture(place.path))).toEqual(["a.txt", "app/d.txt", "src/b.txt"]);
  expect(await readFile(join(place.path, "a.txt"), "utf8")).toBe("1\n");
  expect(git(at.root, "status", "--porcelain")).toBe("");
  await expect(make(at, { branch: "feature/x" })).rejects.toThrow("There is a branch");
  await expect(make(at, { branch: "a..b" })).rejects.toThrow("not a valid name");
  await expect(make(at, { base: "nowhere" })).rejects.toThrow('no branch, tag or commit "nowhere"');
  await expect(make(at, { base: "--all" })).rejects.toThrow("no branch, tag or commit");
});

test("without a repository or a commit, and in the data directory, there is none, in words", async () => {
  await using at = await worktreeScene();
  const plain = at.dir.join("plain");
  await mkdir(plain);
  const inPlain = { ...at.project, path: plain };
  expect((await at.worktrees.options(inPlain)).unavailable).toContain("not in a Git repository");
  await expect(at.worktrees.create(inPlain, { title: "x" })).rejects.toThrow("not in a Git repository");
  git(plain, "init", "-q");
  expect((await at.worktrees.options(inPlain)).unavailable).toContain("no commit yet");
  const guarded = openWorktrees(at.dir.path, undefined, { root: at.dir.join("data/trees") });
  await expect(guarded.worktrees.create(at.project, { title: "x" })).rejects.toThrow(
    'Set "worktreeRoot" in config.json',
  );
  expect(await at.worktrees.options(at.project)).toEqual({
    unavailable: null,
    branch: "main",
    branches: ["main"],
    behindCommits: null,
    uncommittedFiles: 0,
    includedFiles: 0,
  });
});

test("a repository of another user is refused in Git's words", async () => {
  await using at = await worktreeScene();
  if (process.getuid?.() !== 0) return;
  Bun.spawnSync(["chown", "-R", "12345", at.root]);
  expect((await at.worktrees.options(at.project)).unavailable).toContain("dubious ownership");
  await expect(make(at)).rejects.toThrow("safe.directory");
});

test("[WS-26] .worktreeinclude brings exactly the files that are ignored and matched", async () => {
  await using at = await worktreeScene({
    ".gitignore": ".env*\nnode_modules/\nsecret/\n*.log\n",
    ".worktreeinclude": ".env*\nsecret/*.key\n!.env.example\ntracked.txt\nplain.txt\nout/*\nlinked/*\n",
    "tracked.txt": "tracked\n",
    "linked/a.txt": "a\n",
  });
  const outside = at.dir.join("outside");
  await write(outside, { "target.txt": "outside\n" });
  await write(at.root, {
    ".env": "KEY=1\n",
    ".env.example": "KEY=\n",
    "packages/api/.env.local": "KEY=2\n",
    "secret/one.key": "k\n",
    "secret/two.txt": "t\n",
    "node_modules/x/index.js": "x\n",
    "app.log": "log\n",
    "plain.txt": "untracked, not ignored\n",
  });
  await chmod(join(at.root, ".env"), 0o600);
  await symlink(join(outside, "target.txt"), join(at.root, ".env.link"));
  expect((await at.worktrees.options(at.project)).includedFiles).toBe(3);
  const place = await make(at);
  const committed = [".gitignore", ".worktreeinclude", "linked/a.txt", "tracked.txt"];
  const expected = [...committed, ".env", "packages/api/.env.local", "secret/one.key"].sort();
  expect(Object.keys(await picture(place.path)).sort()).toEqual(expected);
  expect(await readFile(join(place.path, ".env"), "utf8")).toBe("KEY=1\n");
  expect((await stat(join(place.path, ".env"))).mode & 0o777).toBe(0o600);
});

test("[WS-26] nothing is written through a link that the base has where the project has a directory", async () => {
  await using at = await worktreeScene({ ".gitignore": "conf/local\n", ".worktreeinclude": "conf/local\n" });
  const outside = at.dir.join("outside");
  await mkdir(outside);
  await symlink(outside, join(at.root, "conf"));
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "a link");
  git(at.root, "tag", "linked");
  git(at.root, "rm", "-q", "conf");
  git(at.root, "commit", "-qm", "no link");
  await write(at.root, { "conf/local": "secret\n" });
  const place = await make(at, { base: "linked" });
  expect(await picture(outside)).toEqual({});
  expect((await make(at)).path).not.toBe(place.path);
});

test("[WS-28] a creation that fails halfway leaves no branch, directory or registration", async () => {
  await using at = await worktreeScene();
  const before = at.known();
  const trees = () => (existsSync(at.dir.join("trees")) ? picture(at.dir.join("trees"), []) : {});
  // A filter that fails stops Git in the middle of the files.
  await write(at.root, { ".gitattributes": "*.bin filter=broken\n", "z.bin": "z\n" });
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "filtered");
  git(at.root, "config", "filter.broken.smudge", "exit 1");
  git(at.root, "config", "filter.broken.required", "true");
  const filtered = at.known();
  await expect(make(at)).rejects.toThrow("smudge filter");
  await make(at).catch(() => undefined);
  expect(at.known()).toEqual(filtered);
  expect(await trees()).toEqual({});
  expect(existsSync(at.dir.join("trees/My-Project"))).toBe(false);
  expect(existsSync(join(at.root, ".git/worktrees"))).toBe(false);
  expect(await at.worktrees.list(at.project)).toEqual([]);
  // A branch in the way of ours: refs/heads/liminal is a file.
  git(at.root, "branch", "liminal");
  git(at.root, "config", "--unset", "filter.broken.smudge");
  git(at.root, "config", "filter.broken.required", "false");
  const blocked = at.known();
  await expect(make(at)).rejects.toThrow("liminal");
  expect(at.known()).toEqual(blocked);
  expect(await trees()).toEqual({});
  git(at.root, "branch", "-D", "liminal");
  git(at.root, "reset", "-q", "--hard", "HEAD~1");
  expect(at.known()).toEqual(before);
  expect((await make(at)).name).toStartWith("fix-the-login-");
});

test("[WS-28] a creation that was cut off while work was carried leaves no checkpoint or intent, and the command makes one worktree", async () => {
  await using at = await worktreeScene();
  await write(at.root, { "new.txt": "not committed\n" });
  const request = { title: "work", carry: true, madeFor: "command-1" };
  const place = await at.worktrees.create(at.project, request);
  expect(place.carriedFiles).toBe(1);
  at.restart();
  expect(await at.worktrees.madeFor(at.project, "command-1")).toEqual(place);
  expect(await at.worktrees.madeFor(at.project, "command-2")).toBeNull();
  // As it is when the server is killed before the copy is whole.
  const vault = await at.openVault(place.path);
  const inData = join(at.dir.join("data/vaults"), basename(vault.path));
  await write(inData, { "intent.json": JSON.stringify({ id: "x", from: [], to: [] }) });
  const record = at.dir.join("data/worktrees", `${place.worktreeId}.json`);
  await writeFile(record, (await readFile(record, "utf8")).replace('"state": "ready"', '"state": "making"'));
  at.restart();
  expect(await at.worktrees.madeFor(at.project, "command-1")).toBeNull();
  expect(existsSync(place.path)).toBe(false);
  expect(existsSync(inData)).toBe(false);
  expect(await at.worktrees.list(at.project)).toEqual([]);
  expect((await at.worktrees.create(at.project, request)).carriedFiles).toBe(1);
});

test("hooks do not run, and large files of LFS are not downloaded", async () => {
  await using at = await worktreeScene();
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize ${300 * 1024 * 1024}\n`;
  await write(at.root, { ".gitattributes": "*.mp4 filter=lfs\n", "film.mp4": pointer });
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "large");
  const [ran, seen] = [at.dir.join("hook-ran"), at.dir.join("smudge")];
  await write(at.root, { ".git/hooks/post-checkout": `#!/bin/sh\ntouch ${ran}\n` });
  await chmod(join(at.root, ".git/hooks/post-checkout"), 0o755);
  git(at.root, "config", "filter.lfs.smudge", `sh -c 'touch ${seen}; cat'`);
  const place = await make(at);
  expect(existsSync(ran)).toBe(false);
  expect(existsSync(seen)).toBe(false);
  expect(await readFile(join(place.path, "film.mp4"), "utf8")).toBe(pointer);
  expect(git(place.path, "status", "--porcelain")).toBe("");
  expect(one(await at.worktrees.list(at.project), place.name).problem).toContain("git lfs pull");
});
