import { expect, test } from "bun:test";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { rawPath, shownPath } from "../../src/workspace/git/raw-path.ts";
import { readCheckpoint } from "../../src/workspace/vault/checkpoint.ts";
import { compareScans } from "../../src/workspace/vault/compare.ts";
import { applyHunks, compareFile } from "../../src/workspace/vault/hunks.ts";
import { move, WorkdirChangedError } from "../../src/workspace/vault/move.ts";
import { discardChanges, keepChanges } from "../../src/workspace/vault/review.ts";
import { type Scan, scan } from "../../src/workspace/vault/scan.ts";
import type { Vault } from "../../src/workspace/vault/vault.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { git, gitScene, picture, write } from "./git-scene.ts";

const numbered = (count: number, change: (line: number) => string = String) =>
  Array.from({ length: count }, (_, index) => `${change(index + 1)}\n`).join("");

async function openPaths(vault: Vault, reviewed: Scan): Promise<string[]> {
  return (await compareScans(vault, reviewed, await scan(vault))).map(({ path }) => shownPath(path));
}

async function hunkIdsOf(vault: Vault, reviewed: Scan, path: string): Promise<string[]> {
  const change = (await compareScans(vault, reviewed, await scan(vault))).find((file) => file.path === rawPath(path));
  if (!change) throw new Error(`${path} did not change`);
  return ((await compareFile(vault, change.before, change.after)).hunks ?? []).map(({ id }) => id);
}

test("WS-17 the changes are those of `git diff` against the base and the untracked files", async () => {
  await using at = await gitScene({ "a.txt": numbered(30), "b.txt": "b\n", "run.sh": "x\n", ".gitignore": "*.log\n" });
  const vault = await at.openVault();
  const base = await scan(vault);
  await write(at.root, {
    "a.txt": numbered(30, (line) => (line % 7 === 0 ? "changed" : String(line))),
    "new/c.txt": "c\n",
    "x.log": "x",
  });
  await rm(join(at.root, "b.txt"));
  await chmod(join(at.root, "run.sh"), 0o755);
  const changes = await compareScans(vault, base, await scan(vault));
  const ours = changes.filter(({ before }) => before !== null);
  const numstat = git(at.root, "diff", "--numstat", "HEAD").trim().split("\n").sort();
  expect(ours.map(({ path, addedLines, removedLines }) => `${addedLines}\t${removedLines}\t${path}`).sort()).toEqual(
    numstat,
  );
  const untracked = git(at.root, "ls-files", "-o", "--exclude-standard").trim().split("\n");
  expect(changes.filter(({ before }) => before === null).map(({ path }) => String(path))).toEqual(untracked);
});

test("WS-18 keeping moves only what is reviewed; discarding takes back that place alone, and accepted ones stay", async () => {
  await using at = await gitScene({ "a.txt": numbered(30) });
  const vault = await at.openVault();
  const base = await scan(vault);
  await write(at.root, {
    "a.txt": numbered(30, (line) => (line % 10 === 5 ? `changed ${line}` : String(line))),
    "b.txt": "new\n",
  });
  const seen = await picture(at.root);
  const current = await scan(vault);
  const [first = "", second = "", third = ""] = await hunkIdsOf(vault, base, "a.txt");
  const reviewed = await keepChanges(vault, base, current, [{ path: rawPath("a.txt"), hunkIds: [first] }]);
  expect(await picture(at.root)).toEqual(seen);
  const left = await hunkIdsOf(vault, reviewed, "a.txt");
  expect(left).toEqual([second, third]);
  await discardChanges(vault, "d1", { reviewed, current }, [{ path: rawPath("a.txt"), hunkIds: [second] }]);
  expect(await Bun.file(join(at.root, "a.txt")).text()).toBe(
    numbered(30, (line) => (line === 5 || line === 25 ? `changed ${line}` : String(line))),
  );
  expect(await openPaths(vault, reviewed)).toEqual(["a.txt", "b.txt"]);
  await discardChanges(vault, "d2", { reviewed, current: await scan(vault) }, [
    { path: rawPath("a.txt") },
    { path: rawPath("b.txt") },
  ]);
  // The place that was accepted is not taken back with the rest of its file.
  expect(await Bun.file(join(at.root, "a.txt")).text()).toBe(
    numbered(30, (line) => (line === 5 ? "changed 5" : String(line))),
  );
  expect(await openPaths(vault, reviewed)).toEqual([]);
});

test("WS-19 a discarded file comes back from the checkpoint of its decision", async () => {
  await using at = await gitScene();
  const vault = await at.openVault();
  const reviewed = await scan(vault);
  await write(at.root, { "a.txt": "agent\n", "new.txt": "agent\n" });
  const seen = await picture(at.root);
  await discardChanges(vault, "d1", { reviewed, current: await scan(vault) }, [
    { path: rawPath("new.txt") },
    { path: rawPath("a.txt") },
  ]);
  const again = await at.openVault();
  const safety = await readCheckpoint(again, "d1");
  if (safety === null) throw new Error("kept");
  await move(again, "u1", await scan(again), safety);
  expect(await picture(at.root)).toEqual(seen);
});

test("WS-20 a decision about what is no longer there is refused whole", async () => {
  await using at = await gitScene({ "a.txt": numbered(10), "b.txt": "b\n" });
  const vault = await at.openVault();
  const reviewed = await scan(vault);
  await write(at.root, { "a.txt": numbered(10, (line) => (line === 5 ? "x" : String(line))), "b.txt": "agent\n" });
  const current = await scan(vault);
  const items = [{ path: rawPath("b.txt") }, { path: rawPath("a.txt"), hunkIds: ["1,1-1,1"] }];
  const seen = await picture(at.root);
  await expect(discardChanges(vault, "d1", { reviewed, current }, items)).rejects.toThrow(WorkdirChangedError);
  await expect(keepChanges(vault, reviewed, current, [{ path: rawPath("none.txt") }])).rejects.toThrow(
    WorkdirChangedError,
  );
  expect(await picture(at.root)).toEqual(seen);
});

test("WS-18 any choice of hunks gives the text that the choice says, for random texts", async () => {
  const random = seededRandom("hunks");
  await using at = await gitScene();
  const vault = await at.openVault();
  const entryOf = async (text: string) => {
    const id = (await vault.git(["hash-object", "-w", "--stdin"], { input: text })).toString().trim();
    return { mode: "100644", id };
  };
  const textOf = () => {
    const lines = Array.from({ length: random.between(0, 12) }, () =>
      random.pick(["a", "b", "c", "@@ -1 +1 @@", "-- x", "\r"]),
    );
    return lines.join("\n") + random.pick(["", "\n"]);
  };
  for (let round = 0; round < roundsOf(1_000); round++) {
    const [before, after] = [textOf(), textOf()];
    const file = await compareFile(vault, await entryOf(before), await entryOf(after));
    expect(applyHunks(file, () => false)).toBe(before);
    expect(applyHunks(file, () => true)).toBe(after);
    const chosen = (file.hunks ?? []).filter(() => random.fraction() < 0.5);
    const middle = applyHunks(file, (hunk) => chosen.includes(hunk));
    // What was chosen is no longer between the result and the new text; what was not is.
    const count = (text: string) => text.split("\n").length;
    const grown = chosen.reduce((sum, { newCount, oldCount }) => sum + newCount - oldCount, 0);
    expect(Math.abs(count(middle) - count(before) - grown)).toBeLessThanOrEqual(1);
  }
});
