import { mkdir } from "node:fs/promises";
import { ProjectId } from "../../src/protocol/ids.ts";
import { LocalWorkdirs } from "../../src/workspace/workdirs.ts";
import { LocalWorktrees } from "../../src/workspace/worktrees/local-worktrees.ts";
import { tempDir } from "../../tests/support/temp-dir.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { fillRepository, git, ownCpuMs } from "../scene/large-repository.ts";

const FILES = 50_000;
const FILES_QUICK = 5_000;
const ROUNDS = 3;
const ROUNDS_QUICK = 2;
/** Of what `git worktree remove` takes. */
const REMOVAL_MAX = 0.1;

/** WS: the cost of removing a worktree, in processor time of the programs it starts and of ours. */
export const worktree: Bench = {
  name: "worktree",
  asks: "processor time of removing a worktree into quarantine and of bringing it back, against `git worktree remove` on the same files",
  async run({ quick, report }) {
    await using dir = await tempDir();
    const root = dir.join("work");
    await fillRepository(root, quick ? FILES_QUICK : FILES);
    await mkdir(dir.join("data"));
    const project = { id: ProjectId.parse("bench"), path: root, name: "bench", addedAt: "" };
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    const spent: Record<string, number[]> = {};
    const note = async (what: string, act: () => Promise<unknown>) => {
      const before = ownCpuMs();
      await act();
      spent[what] = [...(spent[what] ?? []), ownCpuMs() - before];
    };
    for (let round = 0; round < n; round++) {
      const theirs = dir.join(`theirs-${round}`);
      await git(root, "worktree", "add", "-q", "--detach", theirs);
      await note("git worktree remove", () => git(root, "worktree", "remove", theirs));
      const { worktrees } = engine(dir.path, false);
      const place = await worktrees.create(project, { title: "bench" });
      await note("remove", () => worktrees.remove(place.worktreeId));
      await note("bring back", () => worktrees.bringBack(place.worktreeId));
      const withCheckpoints = engine(dir.path, true);
      // As after a turn: the vault is there.
      await withCheckpoints.workdirs.within(place.path, (workdir) => workdir.scan());
      await note("remove with checkpoint", () => withCheckpoints.worktrees.remove(place.worktreeId));
      await withCheckpoints.worktrees.purge(place.worktreeId);
    }
    const of = (what: string) => median(spent[what] ?? []);
    const baseline = of("git worktree remove");
    const line = (metric: string, value: number, target?: number) =>
      report({ metric, unit: "ms", value, baseline, n, ...(target !== undefined && { target: baseline * target }) });
    line("removal, without its last checkpoint", of("remove"), REMOVAL_MAX);
    line("bringing back", of("bring back"), REMOVAL_MAX);
    line("removal, with its last checkpoint", of("remove with checkpoint"));
  },
};

function engine(directory: string, isOn: boolean) {
  const world = { now: Date.now, newId: () => crypto.randomUUID() as string };
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
  const onError = (error: unknown) => {
    throw error;
  };
  const workdirs = new LocalWorkdirs({
    world,
    root: `${directory}/data/vaults`,
    isOn,
    vaultBytesMax: Number.MAX_SAFE_INTEGER,
    editor: { command: null, env: {} },
    env,
    onError,
  });
  const place = {
    records: `${directory}/data/worktrees`,
    root: `${directory}/trees`,
    dataDirectory: `${directory}/data`,
  };
  return { workdirs, worktrees: new LocalWorktrees({ world, ...place, workdirs, env, onError }) };
}
