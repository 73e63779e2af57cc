import { describe, expect, test } from "bun:test";
import { chmod, mkdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { rawPath, shownPath } from "../../src/workspace/git/raw-path.ts";
import { checkGit } from "../../src/workspace/git/run-git.ts";
import {
  dropCheckpoint,
  listCheckpoints,
  readCheckpoint,
  storeCheckpoint,
} from "../../src/workspace/vault/checkpoint.ts";
import { compareScans } from "../../src/workspace/vault/compare.ts";
import { cutOffMove, move, WorkdirChangedError } from "../../src/workspace/vault/move.ts";
import { SCAN_LIMITS, type Scan, scan } from "../../src/workspace/vault/scan.ts";
import { Vault } from "../../src/workspace/vault/vault.ts";
import { tempDir } from "../support/temp-dir.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

const names = (paths: readonly { readonly path: string }[]) => paths.map(({ path }) => path).sort();
const leftOut = ({ leftOut: list }: Scan) => list.map(({ path, reason }) => `${shownPath(path)}: ${reason}`).sort();
/** Takes all files back to a scan. */
const goBack = async (vault: Vault, to: Scan, id = "safety") => move(vault, id, await scan(vault), to);

describe("a checkpoint", () => {
  test("WS-1 holds all changed, added, deleted and renamed files, by any writer", async () => {
    await using at = await gitScene({ "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" });
    const vault = await at.openVault();
    const before = await scan(vault);
    await write(at.root, { "a.txt": "one\nmore\n", "new/d.txt": "four\n" });
    await rm(join(at.root, "b.txt"));
    await rename(join(at.root, "c.txt"), join(at.root, "e.txt"));
    const changes = await compareScans(vault, before, await scan(vault));
    expect(changes.map(({ path, addedLines, removedLines }) => `${path} +${addedLines} -${removedLines}`)).toEqual([
      "a.txt +1 -0",
      "b.txt +0 -1",
      "c.txt +0 -1",
      "e.txt +1 -0",
      "new/d.txt +1 -0",
    ]);
  });

  test("WS-2 changes nothing in the user's repository, and runs nothing of it", async () => {
    await using at = await gitScene();
    const mark = at.dir.join("mark");
    const canary = at.dir.join("canary");
    await writeFile(canary, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`, { mode: 0o755 });
    await write(at.root, { "a.txt": "staged\n" });
    git(at.root, "add", "a.txt");
    await write(at.root, {
      ".gitattributes": "* filter=x diff=x\n*.txt working-tree-encoding=UTF-16 ident\n",
    });
    for (const key of [
      "filter.x.clean",
      "filter.x.smudge",
      "filter.x.process",
      "diff.x.command",
      "diff.x.textconv",
      "core.fsmonitor",
      "core.sshCommand",
      "gpg.program",
      "credential.helper",
      "core.pager",
      "core.editor",
    ])
      git(at.root, "config", key, canary);
    git(at.root, "config", "filter.x.required", "true");
    git(at.root, "config", "commit.gpgSign", "true");
    await mkdir(join(at.root, ".git/hooks"), { recursive: true });
    for (const hook of [
      "post-index-change",
      "pre-commit",
      "reference-transaction",
      "post-checkout",
      "fsmonitor-watchman",
    ])
      await writeFile(join(at.root, ".git/hooks", hook), `#!/bin/sh\nexec '${canary}'\n`, { mode: 0o755 });
    await write(at.root, { "a.txt": "changed $Id$\n", "other.txt": "x\n" });
    const inGit = await picture(join(at.root, ".git"), []);
    const vault = await at.openVault();
    await storeCheckpoint(vault, "c1", await scan(vault));
    await write(at.root, { "a.txt": "again\n" });
    const target = await readCheckpoint(vault, "c1");
    if (target === null) throw new Error("it was stored");
    await goBack(vault, target);
    expect(await Bun.file(join(at.root, "a.txt")).text()).toBe("changed $Id$\n");
    expect(await picture(join(at.root, ".git"), [])).toEqual(inGit);
    expect(await Bun.file(mark).exists()).toBe(false);
  });

  test("WS-3 survives a rewritten history, the deletion of the branch and a prune in the user's repository", async () => {
    await using at = await gitScene();
    await write(at.root, { "a.txt": "first state\n" });
    git(at.root, "commit", "-qam", "second");
    git(at.root, "gc", "-q");
    const vault = await at.openVault();
    const scanned = await scan(vault);
    await storeCheckpoint(vault, "kept", scanned);
    const before = await picture(at.root);
    git(at.root, "checkout", "-q", "--orphan", "other");
    git(at.root, "rm", "-rqf", ".");
    await write(at.root, { "z.txt": "z\n" });
    git(at.root, "add", "-A");
    git(at.root, "commit", "-qm", "other");
    git(at.root, "branch", "-D", "main");
    git(at.root, "reflog", "expire", "--expire=now", "--all");
    git(at.root, "gc", "-q", "--prune=now");
    const again = await at.openVault();
    const kept = await readCheckpoint(again, "kept");
    if (kept === null) throw new Error("it was stored");
    await goBack(again, kept);
    expect(await picture(at.root)).toEqual(before);
  });

  test("WS-5 leaves out what is too large, too much or no file, by name, and neither restores nor deletes it", async () => {
    await using at = await gitScene();
    const vault = await at.openVault();
    const before = await scan(vault);
    await write(at.root, { "big.bin": "x".repeat(300), "small.bin": "y".repeat(90), "third.bin": "z".repeat(90) });
    Bun.spawnSync(["mkfifo", join(at.root, "pipe")]);
    const limits = { ...SCAN_LIMITS, newFileBytesMax: 200, newBytesMax: 100 };
    const after = await scan(vault, limits);
    expect(leftOut(after)).toEqual(["big.bin: too large", "third.bin: too much"]);
    expect(names(await compareScans(vault, before, after))).toEqual(["small.bin"]);
    await goBack(vault, before);
    expect(Object.keys(await picture(at.root))).toContain("pipe");
  });

  test("WS-5 refuses a plain directory with too many files, with advice", async () => {
    await using dir = await tempDir();
    await using scene = await gitScene();
    await write(dir.path, { "1": "", "2": "", "3": "" });
    const vault = await scene.openVault(dir.path);
    await expect(scan(vault, { ...SCAN_LIMITS, plainFilesMax: 2 })).rejects.toThrow("git init");
  });

  test("WS-5 a plain directory that grows a little with each turn meets the same limits, and files that are gone do not count", async () => {
    await using dir = await tempDir();
    await using scene = await gitScene();
    await write(dir.path, { "1": "one", "2": "two", "3": "three" });
    const vault = await scene.openVault(dir.path);
    const limits = { ...SCAN_LIMITS, plainFilesMax: 4, plainBytesMax: 16 };
    expect(leftOut(await scan(vault, limits))).toEqual([]);
    await write(dir.path, { "4": "fourteen" });
    expect(leftOut(await scan(vault, limits))).toEqual(["4: too much"]);
    await write(dir.path, { "4": "four" });
    expect(leftOut(await scan(vault, limits))).toEqual([]);
    await write(dir.path, { "5": "" });
    await expect(scan(vault, limits)).rejects.toThrow("more than 4 files");
    await rm(dir.join("2"));
    expect(leftOut(await scan(vault, limits))).toEqual([]);
  });

  test("WS-5 repositories inside beyond the limit are left out by name, and neither restored nor deleted", async () => {
    await using at = await gitScene({ "a.txt": "1\n" });
    for (const name of ["one", "two", "three"]) {
      await mkdir(join(at.root, name));
      git(join(at.root, name), "init", "-q");
      await write(at.root, { [`${name}/file.txt`]: "1\n" });
    }
    const vault = await at.openVault();
    const limits = { ...SCAN_LIMITS, partsMax: 3 };
    const before = await scan(vault, limits);
    expect(names(before.parts)).toEqual(["", "one", "three"]);
    expect(leftOut(before)).toEqual(["two: too many repositories"]);
    await write(at.root, { "a.txt": "2\n", "one/file.txt": "2\n", "two/file.txt": "2\n" });
    await move(vault, "safety", await scan(vault, limits), before);
    const files = await picture(at.root);
    expect(Object.keys(files).filter((path) => path.endsWith("file.txt"))).toHaveLength(3);
    expect(await Bun.file(join(at.root, "one/file.txt")).text()).toBe("1\n");
    expect(await Bun.file(join(at.root, "two/file.txt")).text()).toBe("2\n");
  });

  test("WS-5 a plain directory leaves generated directories out", async () => {
    await using dir = await tempDir();
    await using scene = await gitScene();
    await write(dir.path, { "a.txt": "1", "node_modules/x/index.js": "1", "dist/y.js": "1" });
    const vault = await scene.openVault(dir.path);
    const before = await scan(vault);
    await write(dir.path, { "a.txt": "2", "node_modules/x/index.js": "2" });
    const changes = await compareScans(vault, before, await scan(vault));
    expect(names(changes)).toEqual(["a.txt"]);
  });

  test("ignored files are not held, also when the ignore file comes later; the user's tracked ones are", async () => {
    await using at = await gitScene({ ".gitignore": "*.log\n", "a.txt": "1" });
    await write(at.root, { "x.log": "x", "out/z.js": "z", "kept.log": "k" });
    git(at.root, "add", "-f", "kept.log");
    const vault = await at.openVault();
    const first = await scan(vault);
    await write(at.root, { ".gitignore": "*.log\nout/\n" });
    const second = await scan(vault);
    expect(names(await compareScans(vault, first, second))).toEqual([".gitignore", "out/z.js"]);
    await write(at.root, { "out/z.js": "changed", "x.log": "changed", "kept.log": "changed" });
    expect(names(await compareScans(vault, second, await scan(vault)))).toEqual(["kept.log"]);
  });
});

describe("WS-6 comes back byte for byte", () => {
  test("CRLF, filtered and keyword files, binary ones, links, modes and odd names", async () => {
    await using at = await gitScene({
      ".gitattributes": "*.txt text eol=crlf\n*.key ident\n*.up filter=up\n",
      "a.txt": "1\n",
    });
    git(at.root, "config", "filter.up.clean", "tr a-z A-Z");
    git(at.root, "config", "filter.up.smudge", "tr A-Z a-z");
    await write(at.root, {
      "a.txt": "one\r\ntwo\r\n",
      "b.key": "$Id$\n",
      "c.up": "lower\n",
      "d.bin": new Uint8Array([0, 255, 13, 10, 0]),
      "new\nline": "n",
      'quote"tab\t': "q",
      "-dash": "d",
      ":(top)magic": "m",
      ünïcode: "u",
      "run.sh": "#!/bin/sh\n",
    });
    git(at.root, "add", "-A");
    git(at.root, "commit", "-qm", "odd");
    await chmod(join(at.root, "run.sh"), 0o755);
    await symlink("a.txt", join(at.root, "link"));
    await symlink("/nowhere at all", join(at.root, "dangling"));
    await mkdir(join(at.root, "turns"));
    await writeFile(Buffer.concat([Buffer.from(`${at.root}/`), Buffer.from([0x66, 0xff, 0xfe])]), "not UTF-8");
    const vault = await at.openVault();
    const before = await scan(vault);
    expect(before.leftOut).toEqual([]);
    const seen = await picture(at.root);
    await rm(join(at.root, "link"));
    await mkdir(join(at.root, "link"));
    await write(at.root, {
      "link/inside": "a directory now",
      "a.txt": "one\ntwo\n",
      "b.key": "$Id: changed$\n",
      "c.up": "x",
      "d.bin": "text",
      "new\nline": "2",
      'quote"tab\t': "2",
      "-dash": "2",
      ":(top)magic": "2",
      ünïcode: "2",
    });
    await rm(join(at.root, "dangling"));
    await write(at.root, { dangling: "a file now" });
    await chmod(join(at.root, "run.sh"), 0o644);
    await writeFile(Buffer.concat([Buffer.from(`${at.root}/`), Buffer.from([0x66, 0xff, 0xfe])]), "changed");
    const after = await picture(at.root);
    const moved = await goBack(vault, before);
    expect(await picture(at.root)).toEqual(seen);
    const safety = await readCheckpoint(vault, moved.id);
    if (safety === null) throw new Error("a safety checkpoint is kept");
    await goBack(vault, safety, "undo");
    expect(await picture(at.root)).toEqual(after);
  });

  test("nested repositories with and without commits, and submodules", async () => {
    await using at = await gitScene();
    await using other = await gitScene({ "lib.txt": "lib\n" });
    git(at.root, "submodule", "add", "-q", other.root, "vendor/lib");
    git(at.root, "commit", "-qm", "submodule");
    for (const name of ["nested", "empty"]) {
      await mkdir(join(at.root, name));
      git(join(at.root, name), "init", "-q");
      await write(join(at.root, name), { "file.txt": `${name}\n` });
    }
    git(join(at.root, "nested"), "add", "-A");
    git(join(at.root, "nested"), "commit", "-qm", "nested");
    const vault = await at.openVault();
    const before = await scan(vault);
    expect(names(before.parts)).toEqual(["", "empty", "nested", "vendor/lib"]);
    const seen = await picture(at.root);
    await write(at.root, {
      "nested/file.txt": "changed\n",
      "empty/file.txt": "changed\n",
      "vendor/lib/lib.txt": "changed\n",
      "vendor/lib/new.txt": "new\n",
      "a.txt": "changed\n",
    });
    expect(names(await compareScans(vault, before, await scan(vault)))).toEqual([
      "a.txt",
      "empty/file.txt",
      "nested/file.txt",
      "vendor/lib/lib.txt",
      "vendor/lib/new.txt",
    ]);
    await goBack(vault, before);
    expect(await picture(at.root)).toEqual(seen);
  });

  test.each([
    ["a split index", (root: string) => git(root, "update-index", "--split-index")],
    [
      "files that Git is told not to look at",
      (root: string) => git(root, "update-index", "--assume-unchanged", "a.txt"),
    ],
    ["a path that is only announced", (root: string) => git(root, "add", "-N", "untracked.txt")],
  ])("with %s", async (_, prepare) => {
    await using at = await gitScene({ "a.txt": "one\n", "b.txt": "two\n" });
    await write(at.root, { "untracked.txt": "u\n" });
    prepare(at.root);
    const vault = await at.openVault();
    await write(at.root, { "a.txt": "changed\n" });
    const before = await scan(vault);
    const seen = await picture(at.root);
    await write(at.root, { "a.txt": "other\n", "b.txt": "other\n", "untracked.txt": "other\n" });
    await goBack(vault, before);
    expect(await picture(at.root)).toEqual(seen);
  });
});

test("WS-6 a shallow clone and a sparse checkout come back byte for byte, and files outside of the sparse part stay away", async () => {
  await using at = await gitScene({ "in/a.txt": "1\n", "out/b.txt": "1\n", "top.txt": "1\n" });
  await write(at.root, { "in/a.txt": "2\n" });
  git(at.root, "commit", "-qam", "second");
  const shallow = at.dir.join("shallow");
  git(at.root, "clone", "-q", "--depth=1", `file://${at.root}`, shallow);
  git(at.root, "sparse-checkout", "set", "in");
  for (const root of [shallow, at.root]) {
    const vault = await at.openVault(root);
    await write(root, { "in/a.txt": "agent\n", "in/new.txt": "agent\n" });
    const before = await scan(vault);
    const seen = await picture(root);
    const repository = await picture(join(root, ".git"), []);
    await write(root, { "in/a.txt": "later\n", "top.txt": "later\n" });
    await rm(join(root, "in/new.txt"));
    await goBack(vault, before);
    expect(await picture(root)).toEqual(seen);
    expect(await picture(join(root, ".git"), [])).toEqual(repository);
  }
  expect(Object.keys(await picture(at.root))).not.toContain("out/b.txt");
});

test("WS-6 a repository with SHA-256 objects comes back byte for byte", async () => {
  await using dir = await tempDir();
  await using scene = await gitScene();
  git(dir.path, "init", "-q", "--object-format=sha256");
  await write(dir.path, { "a.txt": "one\n" });
  git(dir.path, "add", "-A");
  git(dir.path, "commit", "-qm", "first");
  const vault = await scene.openVault(dir.path);
  const before = await scan(vault);
  const seen = await picture(dir.path);
  await write(dir.path, { "a.txt": "two\n", "b.txt": "new\n" });
  await goBack(vault, before);
  expect(await picture(dir.path)).toEqual(seen);
});

describe("a move", () => {
  test("WS-7 saves ignored files that are in the way, and leaves all others alone", async () => {
    await using at = await gitScene({ ".gitignore": "*.log\nout\n", "a.txt": "1" });
    await write(at.root, { "c/d.txt": "d" });
    const target = await scan(await at.openVault());
    await rm(join(at.root, "c"), { recursive: true });
    await write(at.root, {
      "other.log": "mine",
      "out/x": "mine",
      c: "ignored, in the way",
      ".git/info/exclude": "c\n",
    });
    const again = await at.openVault();
    const withoutC = await scan(again);
    const moved = await goBack(again, target);
    expect(await Bun.file(join(at.root, "c/d.txt")).text()).toBe("d");
    expect(await Bun.file(join(at.root, "other.log")).text()).toBe("mine");
    expect(await Bun.file(join(at.root, "out/x")).text()).toBe("mine");
    const safety = await readCheckpoint(again, moved.id);
    if (safety === null) throw new Error("kept");
    await goBack(again, safety, "undo");
    expect(await Bun.file(join(at.root, "c")).text()).toBe("ignored, in the way");
    expect(await scan(again)).toEqual(withoutC);
  });

  test("WS-9 a file that changed since it was seen refuses the whole move, and nothing is touched", async () => {
    await using at = await gitScene();
    const vault = await at.openVault();
    const before = await scan(vault);
    await write(at.root, { "a.txt": "agent\n", "src/b.txt": "agent\n" });
    const seen = await scan(vault);
    await write(at.root, { "a.txt": "user, meanwhile\n" });
    const now = await picture(at.root);
    const refused = await move(vault, "m1", seen, before).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WorkdirChangedError);
    expect(refused).toMatchObject({ paths: ["a.txt"] });
    expect(await picture(at.root)).toEqual(now);
    expect(await cutOffMove(vault)).toBeNull();
  });

  test("WS-12 touches only the paths that differ between what was seen and the target", async () => {
    await using at = await gitScene();
    const vault = await at.openVault();
    const before = await scan(vault);
    await write(at.root, { "a.txt": "agent\n" });
    const seen = await scan(vault);
    await write(at.root, { "src/b.txt": "user, meanwhile\n", "notes.txt": "user\n" });
    await move(vault, "m1", seen, before);
    expect(await Bun.file(join(at.root, "a.txt")).text()).toBe("one\n");
    expect(await Bun.file(join(at.root, "src/b.txt")).text()).toBe("user, meanwhile\n");
    expect(await Bun.file(join(at.root, "notes.txt")).text()).toBe("user\n");
  });

  test("WS-10 what fails in the middle takes back all that was done", async () => {
    await using at = await gitScene();
    await mkdir(join(at.root, "nested"));
    git(join(at.root, "nested"), "init", "-q");
    await write(at.root, { "nested/a.txt": "1\n", "nested/file.txt": "only here\n" });
    const vault = await at.openVault();
    const before = await scan(vault);
    const object = git(at.root, "hash-object", "nested/file.txt").trim();
    await write(at.root, { "a.txt": "changed\n", "nested/a.txt": "2\n", "nested/file.txt": "2\n" });
    const now = await picture(at.root);
    const seen = await scan(vault);
    const file = join(vault.path, "objects", object.slice(0, 2), object.slice(2));
    await chmod(file, 0o644);
    await writeFile(file, "damaged");
    await expect(move(vault, "m1", seen, before)).rejects.toThrow("Git could not write the files");
    expect(await picture(at.root)).toEqual(now);
    expect(await cutOffMove(vault)).toBeNull();
  });

  test("WS-11 keeps the rights of a file that only its owner may read", async () => {
    await using at = await gitScene();
    const vault = await at.openVault();
    const before = await scan(vault);
    await write(at.root, { "a.txt": "secret\n" });
    await chmod(join(at.root, "a.txt"), 0o600);
    await goBack(vault, before);
    expect((await Bun.file(join(at.root, "a.txt")).stat()).mode & 0o777).toBe(0o600);
  });
});

test("WS-5 no checkpoints are made of a home directory, of / and of the root of a file system", async () => {
  await using at = await gitScene();
  for (const directory of ["/", await realpath(homedir()), "/proc"])
    await expect(at.openVault(directory)).rejects.toThrow("Add a directory inside it");
});

test("directories of ours in a repository are left out, whatever they are called", async () => {
  await using at = await gitScene();
  const own = ["data [1]*", "other"].map((name) => join(at.root, name));
  const vault = await Vault.open(at.dir.join("vaults"), at.root, [...own, at.root, at.dir.path]);
  const before = await scan(vault);
  await write(at.root, { "data [1]*/log": "ours\n", "other/log": "ours\n" });
  await write(at.root, { "data 1/log": "of the user\n", "sub/other/b": "b\n" });
  expect(names(await compareScans(vault, before, await scan(vault)))).toEqual(["data 1/log", "sub/other/b"]);
});

test("a directory that the repository around it ignores is one of its own", async () => {
  await using at = await gitScene({ ".gitignore": "scratch/\n", "src/a.txt": "a\n" });
  await write(at.root, { "scratch/own/b.txt": "b\n" });
  const vault = await at.openVault(join(at.root, "scratch/own"));
  expect(vault).toMatchObject({ directory: join(at.root, "scratch/own"), repository: null });
  expect(await at.openVault(join(at.root, "src"))).toMatchObject({ directory: at.root });
});

test("WS-46 without Git, with one that is too old and with one that hangs, the reason has advice", async () => {
  await using dir = await tempDir();
  const fake = async (name: string, text: string) => {
    await writeFile(dir.join(name), `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
    return checkGit(dir.join(name));
  };
  expect(await checkGit()).toMatchObject({ ok: true });
  expect(await checkGit(null)).toMatchObject({ ok: false, reason: expect.stringContaining("Install Git 2.38") });
  expect(await fake("old", "git version 2.37.9")).toMatchObject({
    ok: false,
    reason: expect.stringContaining("2.37.9"),
  });
  expect(await fake("other", "no")).toMatchObject({ ok: false });
  expect(await fake("apple", "git version 2.39.5 (Apple Git-154)")).toEqual({ ok: true, version: "2.39.5" });
  expect(await fake("new", "git version 3.0.0")).toEqual({ ok: true, version: "3.0.0" });
});

test("ids of checkpoints are checked before they become names of refs", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  await expect(readCheckpoint(vault, "../heads/main")).rejects.toThrow("not the id");
  await storeCheckpoint(vault, "one", await scan(vault));
  await storeCheckpoint(vault, "two", await scan(vault));
  await dropCheckpoint(vault, "one");
  expect(await listCheckpoints(vault)).toEqual(["two"]);
  expect(await readCheckpoint(vault, "one")).toBeNull();
  expect(rawPath("ü")).toHaveLength(2);
});

test("WS-16 a lock that turns up after the start, of a Git that a killed server had just begun, stops nothing for good", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  await scan(vault);
  await writeFile(`${vault.indexFileOf("")}.lock`, "");
  await write(at.root, { "a.txt": "2\n" });
  const { parts } = await scan(vault);
  expect((await vault.git(["cat-file", "blob", `${parts[0]?.tree}:a.txt`])).toString()).toBe("2\n");
});
