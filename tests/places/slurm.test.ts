import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../../src/places/place.ts";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PROGRAM, START } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Machine, machine, SHARED } from "./machine.ts";
import { carriesAgents, hasWorkspace, hasWorktrees } from "./one-suite.ts";

/** A free node is there at once, or not at all. */
const ANSWER_MS_MAX = 30_000;
const LEFT_MS = 20_000;
/** Whatever leads to that cluster. */
const ENV: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = ""]) =>
    /^(?:PATH|SLURM_.+)$/.test(name) ? [[name, value]] : [],
  ),
);

/** Unbuffered: Slurm passes on whole lines otherwise, and frames are none. */
const SRUN = ["srun", "--quiet", "--unbuffered", "--ntasks=1", "--chdir=/"];

const JOB = `liminal-${crypto.randomUUID().slice(0, 8)}`;

/** On a node, with this environment and no other. */
function srun(env: Readonly<Record<string, string>>, ...words: readonly string[]): readonly string[] {
  const variables = Object.entries({ PATH: process.env["PATH"] ?? "", ...env }).map((pair) => pair.join("="));
  return [...SRUN, `--job-name=${JOB}`, `--export=${variables.join(",")}`, ...words];
}

function run(words: readonly string[], env = ENV): { readonly ok: boolean; readonly said: string } {
  const options = { env: { ...env }, stdin: "ignore", timeout: ANSWER_MS_MAX } as const;
  const { success, stdout, stderr } = Bun.spawnSync([...words], options);
  return { ok: success, said: (success ? stdout : stderr).toString().trim() };
}

/** Why no place leads over Slurm here; null if one does. */
async function reasonAgainst(): Promise<string | null> {
  if (Bun.which("srun") === null) return "srun is not installed";
  await using dir = await tempDir();
  const touch = ["/bin/sh", "-c", 'test -e "$0" && : > "$1/seen"', PROGRAM, dir.path];
  const { ok, said } = run([...srun({}, ...touch)]);
  if (existsSync(dir.join("seen"))) return null;
  return ok ? "its nodes have other files than this machine" : `no node answers: ${said.split("\n").at(-1)}`;
}

const WHY_NOT = await reasonAgainst();
const ENDS_ALL =
  WHY_NOT === null && /ProctrackType\s*=\s*proctrack\/cgroup/.test(run(["scontrol", "show", "config"]).said);
const skipped = (whyNot: string | null) => (whyNot === null ? "" : ` (skipped: ${whyNot})`);

describe.skipIf(WHY_NOT !== null)(`[SC-32] a place on a real node of Slurm${skipped(WHY_NOT)}`, () => {
  let at: Machine;
  let setting: Place;

  beforeAll(async () => {
    at = await machine();
    const command = srun({ HOME: at.home, ...at.processes.env }, ...START, "runner");
    setting = { ...SHARED, kind: "command", command };
  });
  afterAll(async () => at[Symbol.asyncDispose]());

  it.skipIf(ENDS_ALL)(
    `[SC-27] carries agents and files; no line is lost or doubled when it is cut${skipped(ENDS_ALL ? "with proctrack/cgroup, agents end with the connection" : null)}`,
    async () => carriesAgents(at, at.link({ setting, env: ENV })),
    COMMANDS_TIMEOUT_MS,
  );

  it(
    "[SC-26] [SC-33] has changes, checkpoints, terminals and worktrees, and gives its node back",
    async () => {
      const link = at.link({ setting, epoch: 2, env: ENV });
      await hasWorkspace(at, link);
      await hasWorktrees(at, link);
      link.end();
      await waitFor(
        () => run(["squeue", "--noheader", `--name=${JOB}`]).said,
        (jobs) => jobs === "",
        "the node to be given back",
      );
    },
    COMMANDS_TIMEOUT_MS,
  );
});

const WHY_NO_JOB = WHY_NOT ?? (Bun.which("socat") === null ? "socat is not installed" : null);

describe.skipIf(WHY_NO_JOB !== null)(`[SC-32] a place in a job of Slurm that stays${skipped(WHY_NO_JOB)}`, () => {
  it(
    "[SC-26] [SC-27] [SC-33] keeps its agents when it is cut, and has all that other places have",
    async () => {
      await using at = await machine();
      const socket = join(at.home, "job");
      const runners = `exec socat UNIX-LISTEN:${socket},fork,mode=600 EXEC:"${[...START, "runner"].join(" ")}"`;
      const env = { ...ENV, HOME: at.home, ...at.processes.env };
      const job = run(["sbatch", "--parsable", "--output=/dev/null", "--chdir=/", `--wrap=${runners}`], env).said;
      try {
        await waitFor(
          () => existsSync(socket),
          (isThere) => isThere,
          "the job to run",
        );
        const command = [...SRUN, "--overlap", `--jobid=${job}`, "socat", "-", `UNIX:${socket}`];
        const setting = { ...SHARED, kind: "command", command } as const;
        await carriesAgents(at, at.link({ setting, env: ENV }));
        const link = at.link({ setting, epoch: 2, env: ENV });
        await hasWorkspace(at, link);
        await hasWorktrees(at, link);
      } finally {
        run(["scancel", job]);
      }
      // Elsewhere they end as without a server: by themselves.
      if (ENDS_ALL) expect(await at.processes.leftAfter(LEFT_MS)).toEqual([]);
    },
    COMMANDS_TIMEOUT_MS,
  );
});
