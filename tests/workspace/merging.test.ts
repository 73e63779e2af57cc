import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalMerging } from "../../src/workspace/merging/merging.ts";
import { git, picture, write } from "./git-scene.ts";
import { commit, ENV, inGitDir, mergeScene, refusalOf } from "./merge-scene.ts";

type Scene = Awaited<ReturnType<typeof mergeScene>>;
const mergingOf = (at: Scene, lockWaitMs = 5_000) =>
  new LocalMerging({ root: at.dir.join("merges"), env: ENV, limits: { lockWaitMs } });
const heads = (root: string) => git(root, "for-each-ref");

test("a preview shows commits, files with their counts, uncommitted files, and writes nothing", async () => {
  await using at = await mergeScene();
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "one\nmore\n", "new.txt": "n\n" }, "Add more");
  await rm(join(tree.path, "src/b.txt"));
  git(tree.path, "commit", "-qam", "Remove b");
  await write(tree.path, { "draft.txt": "d\n" });
  const before = await picture(at.root, []);
  const preview = await mergingOf(at).preview(at.project, tree, "main", null);
  expect(preview).toMatchObject({
    ...{ branch: "feature", into: "main", targets: ["main"], result: "clean", commits: 2 },
    ...{ totalFiles: 3, added: 2, removed: 1, uncommittedFiles: 1, conflicts: [], inTheWay: [] },
    message: "Feature\n\n- Add more\n- Remove b",
  });
  expect(preview.files).toEqual([
    { path: "a.txt", status: "modified", added: 1, removed: 0 },
    { path: "new.txt", status: "added", added: 1, removed: 0 },
    { path: "src/b.txt", status: "deleted", added: 0, removed: 1 },
  ]);
  expect(await picture(at.root, [])).toEqual(before);
});

test("[WS-23] what is not committed in the worktree is committed as shown, with the user's hooks, or not at all", async () => {
  await using at = await mergeScene({ "a.txt": "1\n", "gone.txt": "x\n", ".gitignore": "*.log\n" });
  const tree = at.addWorktree("feature");
  const merging = mergingOf(at);
  await write(tree.path, { "a.txt": "2\n", "new/b.txt": "b\n", "x.log": "ignored\n" });
  await rm(join(tree.path, "gone.txt"));
  const look = async () => (await merging.preview(at.project, tree, "main", null)).uncommitted;
  const seen = await look();
  expect(seen?.paths).toEqual(["a.txt", "gone.txt", "new/b.txt"]);
  const before = git(at.root, "rev-parse", "feature");
  // Another file has come since.
  await write(tree.path, { "late.txt": "late\n" });
  const message = "All of it";
  const late = await refusalOf(merging.commit(tree, { message, expect: seen?.expect ?? "" }));
  expect(late).toMatchObject({ code: "WORKDIR_CHANGED", details: expect.stringContaining("late.txt") });
  await rm(join(tree.path, "late.txt"));
  await mkdir(inGitDir(at.root, "hooks"), { recursive: true });
  const hook = inGitDir(at.root, "hooks/pre-commit");
  await writeFile(hook, "#!/bin/sh\necho the linter fails >&2\nexit 1\n", { mode: 0o755 });
  const refused = await refusalOf(merging.commit(tree, { message, expect: seen?.expect ?? "" }));
  expect(refused).toMatchObject({ code: "GIT_REFUSED", details: expect.stringContaining("the linter fails") });
  expect(git(at.root, "rev-parse", "feature")).toBe(before);
  await writeFile(hook, "#!/bin/sh\necho the linter is content\n", { mode: 0o755 });
  const made = await merging.commit(tree, { message, expect: (await look())?.expect ?? "" });
  expect(made.output).toContain("the linter is content");
  expect(git(tree.path, "show", "--format=%H %s", "--name-status", "HEAD").trim().split("\n")).toEqual([
    `${made.commit} All of it`,
    "",
    "M\ta.txt",
    "D\tgone.txt",
    "A\tnew/b.txt",
  ]);
  expect(git(tree.path, "status", "--porcelain")).toBe("");
  expect(await look()).toBeUndefined();
});

test("a merge has both parents, the files of the checkout follow, and the hooks of the user run", async () => {
  await using at = await mergeScene();
  const tree = at.addWorktree("feature");
  const tip = await commit(tree.path, { "a.txt": "one\nmore\n" }, "Add more");
  const base = await commit(at.root, { "c.txt": "c\n" }, "On main");
  await mkdir(inGitDir(at.root, "hooks"), { recursive: true });
  await writeFile(inGitDir(at.root, "hooks/post-merge"), "#!/bin/sh\necho ran > ran-hook\n", { mode: 0o755 });
  const merging = mergingOf(at);
  const { expect: seen } = await merging.preview(at.project, tree, "main", null);
  const made = await merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  expect(git(at.root, "rev-parse", "main", "main^1", "main^2").trim().split("\n")).toEqual([made.commit, base, tip]);
  expect(git(at.root, "log", "-1", "--format=%an %s").trim()).toBe("The User Merge branch 'feature'");
  expect(await readFile(join(at.root, "a.txt"), "utf8")).toBe("one\nmore\n");
  expect(await readFile(join(at.root, "ran-hook"), "utf8")).toBe("ran\n");
  expect((await merging.preview(at.project, tree, "main", null)).result).toBe("nothing");
});

test("a squash has one parent and the user's message; a branch that is checked out nowhere moves alone", async () => {
  await using at = await mergeScene();
  git(at.root, "branch", "release");
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "2\n" }, "First");
  await commit(tree.path, { "a.txt": "3\n" }, "Second");
  const merging = mergingOf(at);
  const { expect: seen } = await merging.preview(at.project, tree, "main", "release");
  const before = await picture(at.root);
  const squash = { into: "release", how: "squash" as const, message: "All of it\n\nWhy.", expect: seen };
  const made = await merging.merge(at.project, tree, squash);
  expect(git(at.root, "log", "-1", "--format=%H %P|%B", "release").trim()).toBe(
    `${made.commit} ${git(at.root, "rev-parse", "main").trim()}|All of it\n\nWhy.`,
  );
  expect(git(at.root, "show", "release:a.txt")).toBe("3\n");
  expect(await picture(at.root)).toEqual(before);
  expect(git(at.root, "status", "--porcelain")).toBe("");
});

test("the commit is signed where the user signs commits", async () => {
  await using at = await mergeScene();
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "2\n" });
  const signer = at.dir.join("signer");
  await writeFile(signer, '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho SIGNED-BY-TEST\n', {
    mode: 0o755,
  });
  git(at.root, "config", "commit.gpgSign", "true");
  git(at.root, "config", "gpg.program", signer);
  const merging = mergingOf(at);
  const { expect: seen } = await merging.preview(at.project, tree, "main", null);
  await merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  expect(git(at.root, "cat-file", "commit", "main")).toContain("SIGNED-BY-TEST");
});

test("[WS-35] a merge with conflicts lists them by kind and touches nothing", async () => {
  await using at = await mergeScene({ "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" });
  const tree = at.addWorktree("feature");
  await write(tree.path, { "a.txt": "theirs\n", "new.txt": "theirs\n" });
  await rm(join(tree.path, "b.txt"));
  await commit(tree.path, { "c.txt": "fine\n" });
  await commit(at.root, { "a.txt": "ours\n", "b.txt": "changed\n", "new.txt": "ours\n" });
  await write(at.root, { "c.txt": "uncommitted\n", "notes.txt": "mine\n" });
  const merging = mergingOf(at);
  const before = { files: await picture(at.root, []), tree: await picture(tree.path), refs: heads(at.root) };
  const preview = await merging.preview(at.project, tree, "main", null);
  expect(preview.result).toBe("conflicts");
  expect(preview.conflicts).toEqual([
    { path: "a.txt", kind: "both changed the same lines" },
    { path: "b.txt", kind: "one side changed it, the other deleted it" },
    { path: "new.txt", kind: "both added it" },
  ]);
  expect({ files: await picture(at.root, []), tree: await picture(tree.path), refs: heads(at.root) }).toEqual(before);
  const refusal = await refusalOf(
    merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: preview.expect }),
  );
  expect(refusal).toMatchObject({ code: "GIT_REFUSED", message: expect.stringContaining("conflict") });
  expect(refusal.details).toContain("a.txt: both changed the same lines");
  const skip = [".git"];
  expect({ files: await picture(at.root, skip), tree: await picture(tree.path), refs: heads(at.root) }).toEqual({
    ...before,
    files: Object.fromEntries(Object.entries(before.files).filter(([path]) => !path.startsWith(".git/"))),
  });
  expect(git(at.root, "status", "--porcelain")).toBe(" M c.txt\n?? notes.txt\n");
});

test("[WS-36] unrelated uncommitted files of the target stay, staged ones too", async () => {
  await using at = await mergeScene({ "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" });
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "theirs\n", "new/n.txt": "n\n" });
  await write(at.root, { "b.txt": "staged\n", "c.txt": "dirty\n", "notes.txt": "mine\n", "added.txt": "staged\n" });
  git(at.root, "add", "b.txt", "added.txt");
  await write(at.root, { "b.txt": "staged and more\n" });
  const status = git(at.root, "status", "--porcelain");
  const merging = mergingOf(at);
  const { expect: seen, inTheWay } = await merging.preview(at.project, tree, "main", null);
  expect(inTheWay).toEqual([]);
  await merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  expect(git(at.root, "status", "--porcelain")).toBe(status);
  expect(git(at.root, "show", ":b.txt")).toBe("staged\n");
  expect(await readFile(join(at.root, "b.txt"), "utf8")).toBe("staged and more\n");
  expect(await readFile(join(at.root, "a.txt"), "utf8")).toBe("theirs\n");
});

test("[WS-36] uncommitted, new and ignored files that the merge would touch refuse it, and stay as they are", async () => {
  const ways: [string, (root: string) => Promise<void>][] = [
    ["changed.txt", (root) => write(root, { "changed.txt": "mine\n" })],
    [
      "changed.txt",
      async (root) => {
        await write(root, { "changed.txt": "mine\n" });
        git(root, "add", "changed.txt");
      },
    ],
    ["gone.txt", (root) => write(root, { "gone.txt": "mine\n" })],
    ["new.txt", (root) => write(root, { "new.txt": "mine\n" })],
    ["secret.env", (root) => write(root, { "secret.env": "ignored, and mine\n" })],
  ];
  await using at = await mergeScene({ "changed.txt": "one\n", "gone.txt": "two\n", ".gitignore": "*.env\n" });
  const tree = at.addWorktree("feature");
  await rm(join(tree.path, "gone.txt"));
  await write(tree.path, { "secret.env": "committed\n" });
  git(tree.path, "add", "-f", "secret.env");
  await commit(tree.path, { "changed.txt": "theirs\n", "new.txt": "n\n" });
  const merging = mergingOf(at);
  const look = async () => ({
    files: await picture(at.root),
    index: await readFile(inGitDir(at.root, "index")),
    refs: heads(at.root),
  });
  for (const [path, spoil] of ways) {
    await spoil(at.root);
    const before = await look();
    const preview = await merging.preview(at.project, tree, "main", null);
    expect(preview).toMatchObject({ result: "clean", inTheWay: [path], checkout: at.root });
    const merge = { into: "main", how: "merge" as const, message: null, expect: preview.expect };
    expect(await refusalOf(merging.merge(at.project, tree, merge))).toMatchObject({
      code: "GIT_REFUSED",
      details: path,
    });
    expect(await look()).toEqual(before);
    git(at.root, "reset", "-q", "--hard");
    git(at.root, "clean", "-fdxq");
  }
});

/** Uncommitted work that a worktree has, too: changed, staged, new, ignored, deleted. */
async function carriedWork() {
  const at = await mergeScene({ "a.txt": "one\n", "b.txt": "two\n", "gone.txt": "3\n", ".gitignore": "*.env\n" });
  const tree = at.addWorktree("feature");
  const work = { "a.txt": "more\n", "b.txt": "staged\n", "new/n.txt": "n\n", "x.env": "e\n" };
  for (const root of [at.root, tree.path]) {
    await write(root, work);
    await rm(join(root, "gone.txt"));
  }
  git(at.root, "add", "b.txt");
  await write(at.root, { "notes.txt": "mine\n" });
  git(tree.path, "add", "-f", "x.env");
  await commit(tree.path, { "other.txt": "theirs\n" });
  return { at, tree };
}

test("[WS-36] uncommitted files of the target that are as the merge brings them are no obstacle, and stay", async () => {
  const { at, tree } = await carriedWork();
  await using _ = at;
  const merging = mergingOf(at);
  const { expect: seen, inTheWay } = await merging.preview(at.project, tree, "main", null);
  expect(inTheWay).toEqual([]);
  const files = await picture(at.root);
  await merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  expect(git(at.root, "status", "--porcelain")).toBe("?? notes.txt\n");
  expect(await picture(at.root)).toMatchObject(files);
  expect(git(at.root, "diff", "--stat", "HEAD", "feature")).toBe("");
});

test("[WS-16] [WS-36] a merge that Git refuses at last leaves such files, and what is staged, as they were", async () => {
  const { at, tree } = await carriedWork();
  await using _ = at;
  const merging = mergingOf(at);
  const { expect: seen } = await merging.preview(at.project, tree, "main", null);
  const look = async () => [await picture(at.root), git(at.root, "status", "--porcelain"), heads(at.root)];
  const before = await look();
  await write(inGitDir(at.root, "info"), { attributes: "other.txt filter=broken\n" });
  git(at.root, "config", "filter.broken.smudge", "false");
  git(at.root, "config", "filter.broken.required", "true");
  const merge = merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  expect(await refusalOf(merge)).toMatchObject({ code: "GIT_REFUSED" });
  await rm(inGitDir(at.root, "info/attributes"));
  expect(await look()).toEqual(before);
});

test("[WS-37] a target or a branch that moved since the preview refuses the merge", async () => {
  await using at = await mergeScene();
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "theirs\n" });
  const merging = mergingOf(at);
  const run = (seen: string) =>
    refusalOf(merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen }));
  const first = await merging.preview(at.project, tree, "main", null);
  await commit(at.root, { "c.txt": "moved\n" });
  const refs = heads(at.root);
  expect(await run(first.expect)).toMatchObject({
    code: "WORKDIR_CHANGED",
    message: expect.stringContaining("main has moved"),
  });
  const second = await merging.preview(at.project, tree, "main", null);
  expect(heads(at.root)).toBe(refs);
  await commit(tree.path, { "d.txt": "moved\n" });
  expect(await run(second.expect)).toMatchObject({
    code: "WORKDIR_CHANGED",
    message: expect.stringContaining("feature has moved"),
  });
  expect(git(at.root, "log", "-1", "--format=%s", "main").trim()).toBe("work");
});

test("[WS-8] a merge waits for the lock of another program and never removes it", async () => {
  await using at = await mergeScene();
  const tree = at.addWorktree("feature");
  await commit(tree.path, { "a.txt": "theirs\n" });
  const lock = inGitDir(at.root, "index.lock");
  await writeFile(lock, "");
  const merging = mergingOf(at, 300);
  const { expect: seen } = await merging.preview(at.project, tree, "main", null);
  const run = () => merging.merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  const refusal = await refusalOf(run());
  expect(refusal.message).toContain("Another Git process is using this repository");
  expect(refusal.details).toContain(lock);
  expect(existsSync(lock)).toBe(true);
  expect(git(at.root, "rev-list", "--count", "main").trim()).toBe("1");
  const waiting = mergingOf(at).merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  await rm(lock);
  const { commit: made } = await waiting;
  expect(git(at.root, "rev-parse", "main").trim()).toBe(made);
});

test("a branch that is being rebased elsewhere, an unknown one and one without an identity are refused in words", async () => {
  await using at = await mergeScene();
  const tree = at.addWorktree("feature");
  const other = at.addWorktree("other");
  await commit(tree.path, { "a.txt": "theirs\n" });
  await commit(other.path, { "a.txt": "others\n" });
  await commit(at.root, { "a.txt": "ours\n" });
  expect(() => git(other.path, "rebase", "-q", "main")).toThrow();
  git(tree.path, "reset", "-q", "--hard", "other");
  await commit(tree.path, { "d.txt": "d\n" });
  const merging = mergingOf(at);
  const { expect: seen } = await merging.preview(at.project, tree, "main", "other");
  const merge = { into: "other", how: "merge" as const, message: null, expect: seen };
  expect((await refusalOf(merging.merge(at.project, tree, merge))).message).toContain(
    "rebase of other is not finished",
  );
  expect((await refusalOf(merging.preview(at.project, tree, "main", "main~1"))).message).toContain("no branch main~1");
  git(other.path, "rebase", "--abort");
  git(at.root, "config", "user.useConfigOnly", "true");
  git(at.root, "config", "--unset", "user.email");
  git(at.root, "config", "--unset", "user.name");
  const nobody = new LocalMerging({ root: at.dir.join("merges"), env: { ...ENV, HOME: at.dir.join("nowhere") } });
  const refusal = await refusalOf(nobody.merge(at.project, tree, merge));
  expect(refusal.message).toContain("Git did not make the commit");
  expect(refusal.details).toMatch(/identity|email/i);
});
