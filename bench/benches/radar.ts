import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RADAR_LIMITS, RadarRepository, type Side } from "../../src/workspace/merging/radar-look.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { FILES_PER_DIRECTORY, fillRepository, git, ownCpuMs } from "../scene/large-repository.ts";

const FILES = 50_000;
const FILES_QUICK = 5_000;
const WORKTREES = 10;
const PAIRS = (WORKTREES * (WORKTREES - 1)) / 2;
const CHANGED = 20;
const SHARED = 2;
const ROUNDS = 5;
const ROUNDS_QUICK = 2;
/** Of what `git status` takes in the full checkout. */
const COMPARISON_MAX = 0.5;

/** WS: the cost of the conflict radar, in processor time of the programs it starts and of ours. */
export const radar: Bench = {
  name: "radar",
  asks: "processor time of comparing ten worktrees with each other, against `git status` on the same files",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const root = dir.join("work");
    await fillRepository(root, quick ? FILES_QUICK : FILES);
    // Half a million files would show nothing more: each worktree has one package, and an index of all files.
    const directories = Array.from({ length: WORKTREES }, (_, index) => dir.join(`tree-${index}`));
    for (const [index, directory] of directories.entries()) {
      await git(root, "worktree", "add", "-q", "--no-checkout", "-b", `branch-${index}`, directory);
      await git(directory, "sparse-checkout", "set", "package-0");
      await git(directory, "checkout", "-q");
    }
    await change(root, WORKTREES + 1, 0);
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    const spent: Record<string, number[]> = {};
    const note = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
      const before = ownCpuMs();
      const result = await act();
      spent[what] = [...(spent[what] ?? []), ownCpuMs() - before];
      return result;
    };
    await git(root, "status", "--porcelain=v2", "-z");
    for (let round = 0; round < n; round++) {
      await note("status", () => git(root, "--no-optional-locks", "status", "--porcelain=v2", "-z"));
      // Nothing is cached from the round before.
      const repository = await RadarRepository.open(root, dir.join(`radar-${round}`), RADAR_LIMITS);
      await note("one", () => repository.sides([root]));
      for (const [what, sharedFiles] of [
        ["compare", SHARED],
        ["compare all", CHANGED],
      ] as const) {
        for (const [index, directory] of directories.entries()) {
          await git(directory, "checkout", "-q", ".");
          await change(directory, index + 1, sharedFiles);
        }
        const sides = (await repository.sides(directories)).filter((side): side is Side => side !== null);
        const pairs = sides.flatMap((one, index) => sides.slice(index + 1).map((other): [Side, Side] => [one, other]));
        const found = await note(what, () => repository.compare(pairs));
        const conflicts = found.filter((pair) => pair.kind === "conflict" && pair.paths.length === sharedFiles).length;
        if (conflicts !== PAIRS) throw new Error(`${conflicts} pairs conflict`);
        await note("again", () => repository.compare(pairs));
      }
    }
    const of = (what: string) => median(spent[what] ?? []);
    const baseline = of("status");
    const line = (metric: string, value: number, target?: number) =>
      report({ metric, unit: "ms", value, baseline, n, ...(target !== undefined && { target: baseline * target }) });
    line(`${PAIRS} pairs of ${WORKTREES} worktrees, each conflicts in ${SHARED} files`, of("compare"), COMPARISON_MAX);
    line(`the same, each conflicts in ${CHANGED} files`, of("compare all"));
    line("the same again, nothing has changed", of("again"));
    line(`reading one full checkout with ${CHANGED} changed files`, of("one"));
  },
};

/** Some files that every checkout changes, others that it has for itself, as long as there are directories. */
async function change(root: string, place: number, sharedFiles: number): Promise<void> {
  for (let index = 0; index < CHANGED; index++) {
    const start = index < sharedFiles ? 0 : place * FILES_PER_DIRECTORY;
    const path = join(root, `package-0/d${start}/f${start + index}.ts`);
    const text = (await readFile(path, "utf8")).replace(/^\/\/ by .*\n/, "");
    await writeFile(path, `// by ${place}\n${text}`);
  }
}
