import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { storeCheckpoint } from "../../src/workspace/vault/checkpoint.ts";
import { compareScans } from "../../src/workspace/vault/compare.ts";
import { move } from "../../src/workspace/vault/move.ts";
import { scan } from "../../src/workspace/vault/scan.ts";
import { Vault } from "../../src/workspace/vault/vault.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { FILES_PER_DIRECTORY, fillRepository, GIT, git, ownCpuMs, run } from "../scene/large-repository.ts";

const FILES = 50_000;
const FILES_QUICK = 5_000;
const CHANGED = 20;
const ROUNDS = 7;
const ROUNDS_QUICK = 2;
/** Limit relative to `git status` on the same tree. */
const TARGETS = { changed: 1.8, unchanged: 1.5, first: 3, turnDiff: 0.2, restore: 1 } as const;

/** WS: the cost of a checkpoint, in processor time of the programs it starts and of ours. */
export const checkpoint: Bench = {
  name: "checkpoint",
  asks: "processor time of a checkpoint, of the difference of two and of a restore, against `git status` on the same files",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const root = dir.join("work");
    await fillRepository(root, quick ? FILES_QUICK : FILES);
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    const spent: Record<string, number[]> = {};
    const note = async (what: string, act: () => Promise<unknown>) => {
      const before = ownCpuMs();
      await act();
      spent[what] = [...(spent[what] ?? []), ownCpuMs() - before];
    };
    await git(root, "status", "--porcelain=v2", "-z");
    for (let round = 0; round < n; round++) {
      const vaults = dir.join(`vaults-${round}`);
      await note("status", () => git(root, "--no-optional-locks", "status", "--porcelain=v2", "-z"));
      let opened: Vault | undefined;
      await note("first", async () => {
        opened = await Vault.open(vaults, root);
        await storeCheckpoint(opened, "first", await scan(opened));
      });
      if (!opened) throw new Error("the vault was opened");
      const vault: Vault = opened;
      await note("unchanged", async () => storeCheckpoint(vault, "unchanged", await scan(vault)));
      const before = await scan(vault);
      await change(root, round);
      await note("changed", async () => storeCheckpoint(vault, "changed", await scan(vault)));
      const after = await scan(vault);
      await note("scan", () => scan(vault));
      await note("turn diff", () => compareScans(vault, before, after));
      await note("restore", () => move(vault, "restore", after, before));
      await change(root, round);
      await note("fresh index", () => freshIndex(root, dir.join(`index-${round}`)));
      await git(root, "checkout", "-q", ".");
    }
    const of = (what: string) => median(spent[what] ?? []);
    const status = of("status");
    const line = (metric: string, value: number, target?: number) =>
      report({
        metric,
        unit: "ms",
        value,
        baseline: status,
        n,
        ...(target !== undefined && { target: status * target }),
      });
    line(`checkpoint, ${CHANGED} files changed`, of("changed"), TARGETS.changed);
    line("checkpoint, nothing changed", of("unchanged"), TARGETS.unchanged);
    line("first checkpoint, with its vault", of("first"), TARGETS.first);
    line("difference of two checkpoints", of("turn diff"), TARGETS.turnDiff);
    line(`restore of ${CHANGED} files, without its scan`, Math.max(0, of("restore") - of("scan")), TARGETS.restore);
    line("a fresh temporary index instead (`read-tree HEAD`, `add -A`)", of("fresh index"));
  },
};

async function change(root: string, round: number): Promise<void> {
  for (let index = 0; index < CHANGED; index++) {
    const start = index * FILES_PER_DIRECTORY;
    const path = join(root, `package-${Math.floor(start / 1_000)}`, `d${start}`, `f${start}.ts`);
    await writeFile(path, `${await readFile(path, "utf8")}// round ${round}\n`);
  }
}

/** The usual way: each time an index without file times. */
async function freshIndex(root: string, index: string): Promise<void> {
  const env = { ...process.env, GIT_INDEX_FILE: index };
  for (const words of [["read-tree", "HEAD"], ["add", "-A"], ["write-tree"]])
    await run([GIT, "-C", root, ...words], env);
}
