// Runs the benches: npm run bench -- [--only <name>]... [--quick] [--against <checkout>]. See bench/README.md.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { append } from "./benches/append.ts";
import { branch } from "./benches/branch.ts";
import { bundle } from "./benches/bundle.ts";
import { checkpoint } from "./benches/checkpoint.ts";
import { commit } from "./benches/commit.ts";
import { fiveAgents } from "./benches/five-agents.ts";
import { flood } from "./benches/flood.ts";
import { follow } from "./benches/follow.ts";
import { load } from "./benches/load.ts";
import { memory } from "./benches/memory.ts";
import { nativeBranch } from "./benches/native-branch.ts";
import { open } from "./benches/open.ts";
import { openPage } from "./benches/open-page.ts";
import { paint } from "./benches/paint.ts";
import { place } from "./benches/place.ts";
import { postgres } from "./benches/postgres.ts";
import { radar } from "./benches/radar.ts";
import { resync } from "./benches/resync.ts";
import { resyncPage } from "./benches/resync-page.ts";
import { search } from "./benches/search.ts";
import { start } from "./benches/start.ts";
import { stream } from "./benches/stream.ts";
import { tabSwitch } from "./benches/tab-switch.ts";
import { team } from "./benches/team.ts";
import { terminals } from "./benches/terminals.ts";
import { versions } from "./benches/versions.ts";
import { worktree } from "./benches/worktree.ts";
import type { Bench } from "./measure/bench.ts";
import { type Result, resultOf } from "./measure/result.ts";
import { writeTable } from "./measure/write-table.ts";
import { endWithSignals } from "./scene/end-with-signals.ts";
import { ROOT } from "./scene/start-server.ts";

const BENCHES: readonly Bench[] = [
  start,
  stream,
  append,
  commit,
  open,
  search,
  branch,
  nativeBranch,
  follow,
  resync,
  bundle,
  load,
  openPage,
  memory,
  paint,
  tabSwitch,
  fiveAgents,
  flood,
  resyncPage,
  checkpoint,
  worktree,
  radar,
  terminals,
  place,
  postgres,
  team,
  versions,
];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    against: { type: "string" },
  },
});
const unknown = values.only?.filter((name) => !BENCHES.some((bench) => bench.name === name)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(`No bench ${unknown.join(", ")}. There are:\n`);
  for (const { name, asks } of BENCHES) process.stderr.write(`  ${name}: ${asks}\n`);
  process.exit(1);
}

endWithSignals();

// The measured page is built from these sources; output of the build must not mix with the results.
const build = Bun.spawnSync([process.execPath, join(ROOT, "scripts/build-page.ts")], { stdio: ["ignore", 2, 2] });
if (!build.success) process.exit(1);

const results: Result[] = [];
for (const bench of BENCHES.filter(({ name }) => values.only?.includes(name) ?? true)) await complete(bench);
process.stderr.write(`\n${writeTable(results)}\n`);
process.exit(process.exitCode ?? 0);

/** Runs one bench; when it fails the others can still be measured, and the exit code shows the failure. */
async function complete({ name, asks, run }: Bench): Promise<void> {
  process.stderr.write(`${name}: ${asks}\n`);
  try {
    await run({
      quick: values.quick,
      ...(values.against !== undefined && { against: resolve(values.against) }),
      report: (measurement) => {
        const result = resultOf(name, measurement);
        results.push(result);
        process.stdout.write(`${JSON.stringify(result)}\n`);
      },
    });
  } catch (error) {
    process.stderr.write(`${name} did not complete: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
