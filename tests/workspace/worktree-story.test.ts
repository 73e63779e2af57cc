import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalMerging } from "../../src/workspace/merging/merging.ts";
import { LocalConflictRadar } from "../../src/workspace/merging/radar.ts";
import { git, write } from "./git-scene.ts";
import { commit, inGitDir, refusalOf } from "./merge-scene.ts";
import { USER_ENV, worktreeScene } from "./worktree-scene.ts";

test("[WS-38] [WS-35] three worktrees: the radar warns, one merges, the other takes the base in and merges, all are removed", async () => {
  await using at = await worktreeScene({ "a.txt": "a\n", "b.txt": "b\n", "mine.txt": "m\n" });
  await write(at.root, { "mine.txt": "stashed\n" });
  git(at.root, "stash", "push", "-q");
  await write(at.root, { "mine.txt": "staged\n" });
  git(at.root, "add", "mine.txt");
  await write(at.root, { "mine.txt": "staged, and more\n", "notes.txt": "untracked\n" });
  const mine = async () => ({
    stash: git(at.root, "stash", "list", "--format=%H"),
    config: await readFile(inGitDir(at.root, "config"), "utf8"),
    index: git(at.root, "ls-files", "-s", "mine.txt"),
    files: await Promise.all(["mine.txt", "notes.txt"].map((name) => readFile(join(at.root, name), "utf8"))),
    status: git(at.root, "status", "--porcelain"),
  });
  const before = await mine();
  const make = (title: string) => at.worktrees.create(at.project, { title });
  const [one, two, three] = [await make("one"), await make("two"), await make("three")];
  const radar = new LocalConflictRadar({
    world: { now: () => Date.now(), newId: () => "id" },
    root: at.dir.join("radar"),
    listWorktrees: (project) => at.worktrees.list(project),
    onError: (error) => at.errors.push(error),
  });
  const look = async () => {
    const changed = Promise.withResolvers<void>();
    using _listening = radar.onChanged(() => changed.resolve());
    radar.touched(at.project);
    await changed.promise;
    return [one, two, three].map(({ worktreeId }) => radar.of(worktreeId));
  };
  await write(one.path, { "a.txt": "one\n" });
  await write(two.path, { "a.txt": "two\n" });
  await write(three.path, { "b.txt": "three\n" });
  const warned = await look();
  expect(warned.map(({ state }) => state)).toEqual(["overlap", "overlap", "clean"]);
  expect(warned[0]?.overlaps).toMatchObject([
    { with: { worktreeId: two.worktreeId }, kind: "conflict", paths: ["a.txt"] },
  ]);

  const merging = new LocalMerging({ root: at.dir.join("merges"), env: USER_ENV });
  const merge = async (place: typeof one, how: "merge" | "squash") => {
    const preview = await merging.preview(at.project, place, "main", null);
    return merging.merge(at.project, place, { into: "main", how, message: null, expect: preview.expect });
  };
  await commit(one.path, { "a.txt": "one\n" }, "One");
  await commit(two.path, { "a.txt": "two\n" }, "Two");
  await commit(three.path, { "b.txt": "three\n" }, "Three");
  await merge(one, "merge");
  expect((await refusalOf(merge(two, "merge"))).message).toContain("conflict");
  expect((await look())[1]?.overlaps).toContainEqual({ with: null, kind: "conflict", paths: ["a.txt"], total: 1 });
  // As the agent would: the base comes in, and the conflict is solved there.
  expect(() => git(two.path, "merge", "-q", "main")).toThrow();
  await commit(two.path, { "a.txt": "one and two\n" }, "Bring main in");
  await merge(two, "merge");
  await merge(three, "squash");
  expect(git(at.root, "show", "main:a.txt", "main:b.txt")).toBe("one and two\nthree\n");
  const onDisk = await Promise.all(["a.txt", "b.txt"].map((name) => readFile(join(at.root, name), "utf8")));
  expect(onDisk).toEqual(["one and two\n", "three\n"]);

  for (const { worktreeId } of [one, two, three]) await at.worktrees.remove(worktreeId);
  for (const { worktreeId } of [one, two, three]) await at.worktrees.purge(worktreeId);
  expect(git(at.root, "worktree", "list").trim().split("\n")).toHaveLength(1);
  git(at.root, "fsck", "--strict");
  expect(await mine()).toEqual(before);
  expect(at.errors).toEqual([]);
  await Promise.all([radar.stop(), at.worktrees.stop()]);
});
