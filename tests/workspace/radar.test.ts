import { expect, test } from "bun:test";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorktreePlace } from "../../src/ports/worktrees.ts";
import { LOOK_AFTER_MS_MAX, LocalConflictRadar, type RadarWorktree } from "../../src/workspace/merging/radar.ts";
import { RADAR_LIMITS, type RadarLimits } from "../../src/workspace/merging/radar-look.ts";
import { git, picture, write } from "./git-scene.ts";
import { commit, mergeScene } from "./merge-scene.ts";

type Scene = Awaited<ReturnType<typeof mergeScene>>;

/** A radar over some worktrees. `look` waits for one look, and fails when it takes longer than the rule allows. */
function radarOf(at: Scene, places: readonly WorktreePlace[], limits: RadarLimits = RADAR_LIMITS) {
  const listed = new Map(
    places.map((place): [string, RadarWorktree] => [place.name, { ...place, base: "main", status: "ready" }]),
  );
  const faults: unknown[] = [];
  let time = 0;
  let looks = 0;
  const radar = new LocalConflictRadar({
    world: { now: () => ++time, newId: () => "id" },
    root: at.dir.join("radar"),
    listWorktrees: async () => {
      looks += 1;
      return [...listed.values()];
    },
    onError: (error) => faults.push(error),
    limits,
  });
  return {
    radar,
    listed,
    async look(...touched: readonly WorktreePlace[]): Promise<void> {
      const changed = Promise.withResolvers<void>();
      using _listening = radar.onChanged(() => changed.resolve());
      const before = looks;
      for (const { worktreeId } of touched) radar.touched(at.project, worktreeId);
      if (touched.length === 0) radar.touched(at.project);
      await changed.promise;
      // Within 5 s: one look tells, and it waits by itself no longer than this. How long Git takes is the machine's.
      expect(looks - before).toBe(1);
      expect(LOOK_AFTER_MS_MAX).toBeLessThanOrEqual(WITHIN_MS / 2);
      expect(faults).toEqual([]);
    },
    of: ({ worktreeId }: WorktreePlace) => radar.of(worktreeId),
    [Symbol.asyncDispose]: () => radar.stop(),
  };
}

/** An overlap is told so soon after the end of a turn. */
const WITHIN_MS = 5_000;

const other = ({ worktreeId, name }: WorktreePlace) => ({ worktreeId, name });

test("[WS-38] uncommitted work of two worktrees that would conflict is reported, and no longer when it is gone", async () => {
  await using at = await mergeScene({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "b\n" });
  const [one, two, three] = [at.addWorktree("one"), at.addWorktree("two"), at.addWorktree("three")];
  await using watch = radarOf(at, [one, two, three]);
  expect(watch.of(one)).toEqual({ state: "unknown", overlaps: [] });
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["clean", "clean", "clean"]);
  await write(one.path, { "a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n" });
  await write(two.path, { "a.txt": "TWO\n2\n3\n4\n5\n6\n7\n8\n9\n" });
  await write(three.path, { "b.txt": "three\n" });
  await watch.look();
  const overlap = { kind: "conflict", paths: ["a.txt"], total: 1 };
  expect(watch.of(one)).toMatchObject({ state: "overlap", overlaps: [{ with: other(two), ...overlap }] });
  expect(watch.of(two)).toMatchObject({ state: "overlap", overlaps: [{ with: other(one), ...overlap }] });
  expect(watch.of(three)).toMatchObject({ state: "clean", overlaps: [] });
  // Other lines of the same file: no conflict, and still told.
  await write(two.path, { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nTWO\n" });
  await watch.look();
  expect(watch.of(one).overlaps).toEqual([{ with: other(two), kind: "same-files", paths: ["a.txt"], total: 1 }]);
  git(two.path, "checkout", "-q", "a.txt");
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["clean", "clean", "clean"]);
});

test("[WS-38] committed and uncommitted work counts, of the base and of the project's own checkout, too", async () => {
  await using at = await mergeScene({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  const [one, two] = [at.addWorktree("one"), at.addWorktree("two")];
  await commit(one.path, { "a.txt": "one\n" });
  await commit(two.path, { "c.txt": "two\n" });
  await commit(at.root, { "a.txt": "main\n" });
  await write(at.root, { "c.txt": "uncommitted\n" });
  await using watch = radarOf(at, [one, two]);
  await watch.look();
  expect(watch.of(one).overlaps).toEqual([{ with: null, kind: "conflict", paths: ["a.txt"], total: 1 }]);
  const project = { worktreeId: null, name: "work" };
  expect(watch.of(two).overlaps).toEqual([{ with: project, kind: "conflict", paths: ["c.txt"], total: 1 }]);
  // The worktree takes the base in: that is no overlap any more.
  git(one.path, "merge", "-q", "-X", "ours", "main");
  git(at.root, "checkout", "-q", "c.txt");
  await watch.look();
  expect([watch.of(one).state, watch.of(two).state]).toEqual(["clean", "clean"]);
});

test("[WS-38] a stacked worktree does not overlap with the commits that it was made from", async () => {
  await using at = await mergeScene();
  const one = at.addWorktree("one");
  await commit(one.path, { "a.txt": "first\n" });
  const two = at.addWorktree("two", "one");
  await commit(two.path, { "a.txt": "first\ntwo\n" });
  await using watch = radarOf(at, [one, two]);
  await watch.look();
  expect([watch.of(one).state, watch.of(two).state]).toEqual(["clean", "clean"]);
  await write(one.path, { "a.txt": "first\nmore\n" });
  await watch.look();
  expect(watch.of(two).overlaps).toEqual([{ with: other(one), kind: "conflict", paths: ["a.txt"], total: 1 }]);
});

test("[WS-38] unknown is not clean: what cannot be looked at leaves all others without overlap unknown", async () => {
  await using at = await mergeScene({ "a.txt": "a\n", "b.txt": "b\n" });
  const [one, two, three] = [at.addWorktree("one"), at.addWorktree("two"), at.addWorktree("three")];
  await write(one.path, { "a.txt": "one\n" });
  await write(two.path, { "a.txt": "two\n" });
  await write(three.path, { "1": "", "2": "", "3": "" });
  await using watch = radarOf(at, [one, two, three], { ...RADAR_LIMITS, uncommittedFilesMax: 2 });
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["overlap", "overlap", "unknown"]);
  git(two.path, "checkout", "-q", ".");
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["unknown", "unknown", "unknown"]);
  await rm(join(three.path, "3"));
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["clean", "clean", "clean"]);
  // A directory that is not there, and then one that is no longer listed.
  await rm(three.path, { recursive: true });
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["unknown", "unknown", "unknown"]);
  watch.listed.delete("three");
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["clean", "clean", "unknown"]);
});

test("[WS-38] an orphan branch is unknown, which does not affect the others", async () => {
  await using at = await mergeScene({ "a.txt": "a\n", "b.txt": "b\n" });
  const [one, two, three] = [at.addWorktree("one"), at.addWorktree("two"), at.addWorktree("three")];
  git(three.path, "checkout", "-q", "--orphan", "fresh");
  await commit(three.path, { "a.txt": "fresh\n" });
  await using watch = radarOf(at, [one, two, three]);
  await watch.look();
  expect([one, two, three].map((place) => watch.of(place).state)).toEqual(["clean", "clean", "unknown"]);
  await write(one.path, { "a.txt": "one\n" });
  await write(two.path, { "a.txt": "two\n" });
  await watch.look();
  expect(watch.of(one).overlaps).toEqual([{ with: other(two), kind: "conflict", paths: ["a.txt"], total: 1 }]);
  expect(watch.of(three).state).toBe("unknown");
});

test("[WS-38] work that the base got by a squash is no overlap any more", async () => {
  await using at = await mergeScene({ "a.txt": "a\n" });
  const [one, two] = [at.addWorktree("one"), at.addWorktree("two")];
  await commit(one.path, { "a.txt": "one\n" });
  await commit(two.path, { "a.txt": "two\n" });
  await commit(at.root, { "a.txt": "one\n" }, "squashed");
  await using watch = radarOf(at, [one, two]);
  await watch.look();
  expect(watch.of(one).overlaps.map((overlap) => overlap.with)).toEqual([other(two)]);
  expect(watch.of(two).overlaps.map((overlap) => overlap.with)).toEqual([other(one), null]);
  // Further work on top of it counts again.
  await commit(one.path, { "a.txt": "more\n" });
  await watch.look();
  expect(watch.of(one).overlaps.map((overlap) => overlap.with)).toEqual([null, other(two)]);
});

test("[WS-38] a look reads the files of the worktrees that were touched, or whose commit or index changed", async () => {
  await using at = await mergeScene({ "a.txt": "a\n" });
  const places = [at.addWorktree("one"), at.addWorktree("two"), at.addWorktree("three")] as const;
  const [one, two, three] = places;
  await using watch = radarOf(at, places);
  await watch.look();
  for (const { path, name } of places) await write(path, { "a.txt": `${name}\n` });
  await watch.look(one, two);
  expect(places.map((place) => watch.of(place).state)).toEqual(["overlap", "overlap", "clean"]);
  git(three.path, "add", "a.txt");
  await watch.look(one);
  expect(watch.of(three).overlaps).toHaveLength(2);
  git(two.path, "commit", "-qam", "two");
  git(two.path, "checkout", "-q", "--detach", "main");
  await watch.look(one);
  expect(places.map((place) => watch.of(place).state)).toEqual(["overlap", "clean", "overlap"]);
  // After a while also the others, which somebody may have edited by hand.
  await using late = radarOf(at, places, { ...RADAR_LIMITS, readAgainMs: 0 });
  await late.look();
  await write(two.path, { "a.txt": "again\n" });
  await late.look(one);
  expect(late.of(two).state).toBe("overlap");
});

test("[WS-38] too large files and too many pairs leave a warning about the same files", async () => {
  await using at = await mergeScene();
  const [one, two] = [at.addWorktree("one"), at.addWorktree("two")];
  await write(one.path, { "a.txt": "one, which is long\n" });
  await write(two.path, { "a.txt": "two, which is long\n" });
  for (const limits of [{ fileBytesMax: 10 }, { mergesMax: 0 }]) {
    await using watch = radarOf(at, [one, two], { ...RADAR_LIMITS, ...limits });
    await watch.look();
    expect(watch.of(one).overlaps).toEqual([{ with: other(two), kind: "same-files", paths: ["a.txt"], total: 1 }]);
  }
});

test("[WS-38] a look writes nothing into the user's repository, and sees every kind of change", async () => {
  const odd = 'odd "name"\n\\ \u00e4.txt';
  await using at = await mergeScene({
    ...{ "crlf.txt": "one\ntwo\n", "gone.txt": "g\n", "file-or-dir": "f\n", "plain.txt": "p\n", [odd]: "o\n" },
    ".gitattributes": "crlf.txt text eol=crlf\n*.lfs filter=never\n",
  });
  git(at.root, "config", "filter.never.clean", "touch filter-ran; cat");
  git(at.root, "config", "filter.never.required", "true");
  const [one, two] = [at.addWorktree("one"), at.addWorktree("two")];
  for (const [{ path }, text] of [
    [one, "1"],
    [two, "2"],
  ] as const) {
    await rm(join(path, "gone.txt"));
    await rm(join(path, "file-or-dir"));
    await write(path, { [odd]: `${text}\n`, "new.lfs": `${text}\n`, [`only-${text}.txt`]: "x\n" });
    await symlink(text, join(path, "link"));
    await mkdir(join(path, "nested"));
    git(join(path, "nested"), "init", "-q");
    await writeFile(join(path, "nested/inside.txt"), text);
  }
  await write(one.path, { "crlf.txt": "one\r\ntwo\r\nthree\r\n", "file-or-dir": "changed\n", "gone.txt": "back\n" });
  await write(two.path, { "file-or-dir/inside": "d\n" });
  await chmod(join(two.path, "plain.txt"), 0o755);
  git(one.path, "add", "new.lfs");
  const before = await picture(at.root, []);
  const trees = await Promise.all([one, two].map(({ path }) => picture(path, [])));
  await using watch = radarOf(at, [one, two]);
  await watch.look();
  expect(watch.of(one)).toMatchObject({ state: "overlap", overlaps: [{ with: other(two), kind: "conflict" }] });
  const paths = watch.of(one).overlaps[0]?.paths ?? [];
  for (const path of [odd, "new.lfs", "link", "gone.txt"]) expect(paths).toContain(path);
  for (const path of ["crlf.txt", "plain.txt", "only-1.txt"]) expect(paths).not.toContain(path);
  expect(paths.some((path) => path.startsWith("file-or-dir"))).toBe(true);
  expect(await picture(at.root, [])).toEqual(before);
  expect(await Promise.all([one, two].map(({ path }) => picture(path, [])))).toEqual(trees);
});

test("touches during a look are one further look", async () => {
  await using at = await mergeScene();
  const one = at.addWorktree("one");
  let looks = 0;
  let release = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const radar = new LocalConflictRadar({
    world: { now: () => 0, newId: () => "id" },
    root: at.dir.join("radar"),
    listWorktrees: async () => {
      looks += 1;
      started.resolve();
      await release.promise;
      return [{ ...one, base: "main", status: looks === 1 ? "ready" : "removed" }];
    },
    onError: (error) => {
      throw error;
    },
  });
  radar.touched(at.project);
  await started.promise;
  for (let count = 0; count < 5; count++) radar.touched(at.project);
  expect(looks).toBe(1);
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const steps = [first, second];
  using _listening = radar.onChanged(() => steps.shift()?.resolve());
  release.resolve();
  await first.promise;
  release = Promise.withResolvers();
  release.resolve();
  await second.promise;
  expect(looks).toBe(2);
  expect(radar.of(one.worktreeId)).toEqual({ state: "unknown", overlaps: [] });
  await radar.stop();
});
