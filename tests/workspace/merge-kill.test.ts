import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { LocalMerging } from "../../src/workspace/merging/merging.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { git, picture, write } from "./git-scene.ts";
import { commit, ENV, inGitDir, mergeScene } from "./merge-scene.ts";

const KILLS_FULL = 100;
const FILES = 400;
const PROGRAM = join(import.meta.dirname, "programs/merge-once.ts");
/** Git starts, writes so many files, the index and the branch in about this time. */
const MERGE_MS = 40;

const filled = (text: string) =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      `d${index % 20}/f${index}.txt`,
      `${`${text} ${index}\n`.repeat(200)}`,
    ]),
  );
const hasIntent = (root: string) => existsSync(root) && readdirSync(root).some((name) => name.endsWith(".json"));

/** A process and all that it has started. */
function withChildren(pid: number): number[] {
  const children = childrenOf(pid)
    .trim()
    .split(" ")
    .filter((id) => id !== "");
  return [pid, ...children.flatMap((id) => withChildren(Number(id)))];
}

/** Empty for a process that has ended meanwhile. */
function childrenOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (Reflect.get(Object(error), "code") !== "ESRCH") throw error;
  }
}

test("WS-16 kill -9 in the middle of a merge leaves the old or the new state of the target, never half of it", async () => {
  const random = seededRandom("kill -9 in a merge");
  await using at = await mergeScene(filled("a"));
  const tree = at.addWorktree("feature");
  for (let index = 0; index < 20; index++) await rm(join(tree.path, `d${index}/f${index}.txt`));
  const changed = Object.entries(filled("b")).filter(([path]) => Number(/f(\d+)/.exec(path)?.[1]) >= 20);
  await commit(tree.path, { ...Object.fromEntries(changed), "new/1.txt": "n\n", "new/deep/2.txt": "n\n" });
  const mine = { "notes.txt": "mine\n", "staged.txt": "mine\n" };
  await write(at.root, mine);
  git(at.root, "add", "staged.txt");
  const old = git(at.root, "rev-parse", "main").trim();
  const [status, files] = [git(at.root, "status", "--porcelain"), await picture(at.root)];
  const merged = {
    ...(await picture(tree.path)),
    ...Object.fromEntries(Object.keys(mine).map((name) => [name, files[name] ?? ""])),
  };
  const intents = at.dir.join("merges");
  const merging = () => new LocalMerging({ root: intents, env: ENV });
  const counts = { kills: 0, withGit: 0, old: 0, new: 0, putBack: 0, finished: 0, locksLeft: 0 };
  for (let round = 0; round < roundsOf(KILLS_FULL); round++) {
    const child = Bun.spawn([process.execPath, PROGRAM, intents, at.root, tree.path, "feature"], {
      stdout: "inherit",
      stderr: "inherit",
    });
    // The intent is written just before Git starts, and the lock is there while Git writes files.
    const lock = inGitDir(at.root, "index.lock");
    const isMidway = random.fraction() < 0.8 ? () => existsSync(lock) : () => hasIntent(intents);
    while (!isMidway() && child.exitCode === null) await Bun.sleep(0);
    await Bun.sleep(random.between(0, MERGE_MS));
    // With its Git, as a machine that goes down; or alone, as the kernel does when memory is short.
    const isWithGit = random.fraction() < 0.8;
    for (const pid of isWithGit ? withChildren(child.pid) : [child.pid]) kill(pid);
    await child.exited;
    counts.kills += 1;
    if (isWithGit) counts.withGit += 1;
    const isCutOff = isWithGit && git(at.root, "status", "--porcelain", "--no-renames") !== status;
    let words = await merging().settleCutOff();
    // It says what to do: a Git that lives on needs its time.
    while (words[0]?.startsWith("Git still works in")) words = await merging().settleCutOff();
    const [, left] = /delete what it left behind, then try again: (.+)$/.exec(words[0] ?? "") ?? [];
    if (left !== undefined) {
      // It says what to do.
      for (const file of left.split(" ")) await rm(file);
      counts.locksLeft += 1;
      expect(await merging().settleCutOff()).toEqual([]);
    } else expect(words).toEqual([]);
    expect(hasIntent(intents)).toBe(false);
    const isNew = git(at.root, "rev-parse", "main").trim() !== old;
    counts[isNew ? "new" : "old"] += 1;
    if (isCutOff) counts[isNew ? "finished" : "putBack"] += 1;
    expect(git(at.root, "status", "--porcelain")).toBe(status);
    expect(await picture(at.root)).toEqual(isNew ? merged : files);
    if (isNew) {
      git(at.root, "reset", "-q", "--keep", old);
      git(at.root, "add", "staged.txt");
    }
  }
  // Nothing is stuck: the same merge works.
  const { expect: seen } = await merging().preview(at.project, tree, "main", null);
  await merging().merge(at.project, tree, { into: "main", how: "merge", message: null, expect: seen });
  expect(await picture(at.root)).toEqual(merged);
  git(at.root, "fsck", "--strict");
  console.log(`kill -9 in a merge: ${JSON.stringify(counts)}, 0 lost`);
});

test("WS-16 locks of the Git that was killed are removed; those of another time or another commit are named", async () => {
  await using at = await mergeScene({ "a.txt": "one\n" });
  const tree = at.addWorktree("feature");
  const tip = await commit(tree.path, { "a.txt": "1\n" });
  const old = git(at.root, "rev-parse", "main").trim();
  const intents = at.dir.join("merges");
  const merging = new LocalMerging({ root: intents, env: ENV });
  const [head, branch] = [inGitDir(at.root, "HEAD.lock"), inGitDir(at.root, "refs/heads/main.lock")];
  const intent = { directory: at.root, indexFile: inGitDir(at.root, "index"), into: "main", old, new: tip };
  const cutOff = () => write(intents, { "x.json": JSON.stringify(intent) });

  // Files and index are new; the branch was about to be.
  await cutOff();
  git(at.root, "read-tree", "-m", "-u", "main", tip);
  await write(at.root, { ".git/HEAD.lock": "", ".git/refs/heads/main.lock": `${tip}\n` });
  expect(await merging.settleCutOff()).toEqual([]);
  expect([existsSync(head), existsSync(branch)]).toEqual([false, false]);
  expect(git(at.root, "rev-parse", "main").trim()).toBe(tip);
  expect(git(at.root, "status", "--porcelain")).toBe("");

  git(at.root, "reset", "-q", "--hard", old);
  await write(at.root, { ".git/HEAD.lock": "" });
  await cutOff();
  await utimes(join(intents, "x.json"), new Date(), new Date(Date.now() + 60_000));
  expect(await merging.settleCutOff()).toEqual([]);
  expect(existsSync(head)).toBe(true);
  await rm(head);

  await cutOff();
  await write(at.root, { ".git/refs/heads/main.lock": `${old}\n` });
  const [words = ""] = await merging.settleCutOff();
  expect(words).toContain(branch);
  expect(existsSync(branch)).toBe(true);
  await rm(branch);
  expect(await merging.settleCutOff()).toEqual([]);
  expect(git(at.root, "rev-parse", "main").trim()).toBe(old);
});

test("WS-16 a file that was edited after a merge was cut off is not put back, and the restart reports it with advice", async () => {
  await using at = await mergeScene({ "a.txt": "one\n", "b.txt": "two\n" });
  const tree = at.addWorktree("feature");
  const tip = await commit(tree.path, { "a.txt": "1\n", "b.txt": "2\n" });
  const intents = at.dir.join("merges");
  const common = inGitDir(at.root, "");
  await write(intents, {
    "x.json": JSON.stringify({
      ...{ directory: at.root, indexFile: `${common}index`, into: "main" },
      ...{ old: git(at.root, "rev-parse", "main").trim(), new: tip },
    }),
  });
  await write(at.root, { "a.txt": "1\n", "b.txt": "edited since\n" });
  const merging = new LocalMerging({ root: intents, env: ENV });
  const [words = ""] = await merging.settleCutOff();
  expect(words).toContain("these files have changed since: b.txt.");
  expect(words).toContain("git restore");
  expect(await Bun.file(join(at.root, "b.txt")).text()).toBe("edited since\n");
  expect(hasIntent(intents)).toBe(true);
  git(at.root, "restore", "b.txt");
  expect(await merging.settleCutOff()).toEqual([]);
  expect(git(at.root, "status", "--porcelain")).toBe("");
  await write(intents, { "y.json": "{" });
  expect((await merging.settleCutOff()).join()).toContain("cannot be read");
});
