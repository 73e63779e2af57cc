import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { childrenCpuSeconds, countCpu, watchBrowserCpu } from "./cpu-time.ts";
import { findMarked, killMarked } from "./marked-processes.ts";
import type { TestsByEnd } from "./prove-rules.ts";
import { type JunitReport, readJunit } from "./read-junit.ts";
import { reportLine, reportOutput, seconds } from "./report.ts";
import { NOTHING, ONE_FAILED, sum, type Tally } from "./tally.ts";
import { RUN_MARKER, type TestEnvironment } from "./test-environment.ts";

/** Generous, since the machine may be busy: a test that waits for an event should fail by its own deadline first. */
const TEST_TIMEOUT_MS = 240_000;
/** A part that hangs is ended and fails. On a calm machine the longest takes a quarter of an hour; a busy one may need twice that and more. */
const PART_TIMEOUT_MS = 40 * 60 * 1_000;

/** Files at once per core. Real agents wait more than they compute; of the others, more would only wait for each other. */
const LANES_PER_CORE: Readonly<Record<string, number>> = { unit: 1, integration: 1, browser: 1, agents: 1.5 };
const CORES_MAX = 2;

export type BunTestRun = {
  readonly root: string;
  readonly part: string;
  readonly files: readonly string[];
  /** Only tests whose name matches; the others then do not count as skipped. */
  readonly name: string | undefined;
  readonly environment: TestEnvironment;
};

export type BunTestResult = TestsByEnd & { readonly tally: Tally };

/**
 * Runs files in one `bun test` and counts from its report; what fails is printed as it happens and named again at the end.
 * Nothing runs twice: a test that fails now and then is a failure, here and in CI.
 */
export async function runBunTests(run: BunTestRun): Promise<BunTestResult> {
  const startedAt = performance.now();
  using _browsers = watchBrowserCpu();
  const cpuBefore = childrenCpuSeconds();
  const reportPath = join(run.environment.folder, `${run.part}.xml`);
  const { code, timedOut } = await spawnBunTest(run, reportPath);
  const report = existsSync(reportPath) ? readJunit(await readFile(reportPath, "utf8")) : undefined;
  const tally = count(run, report, code);
  const took = `${seconds(startedAt)}, ${(childrenCpuSeconds() - cpuBefore).toFixed(0)} s of CPU`;
  reportLine(tally.failed === 0 ? "ok" : "FAIL", run.part, `${partInWords(tally)} in ${took}`);
  if (timedOut) reportOutput(`ended after ${PART_TIMEOUT_MS / 60_000} minutes`);
  for (const file of unreached(run, report)) reportOutput(`${file}: no test in it was reached`);
  for (const failure of report?.failures ?? []) reportOutput(failure);
  const leftOut = run.name === undefined ? (report?.leftOut ?? []) : [];
  if (leftOut.length > 0) reportOutput(leftOut.map((name) => `left out: ${name}`).join("\n"));
  return { tally, passed: report?.passed ?? [], leftOut };
}

async function spawnBunTest(run: BunTestRun, reportPath: string): Promise<{ code: number; timedOut: boolean }> {
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--no-env-file",
      "--only-failures",
      `--timeout=${TEST_TIMEOUT_MS}`,
      ...lanes(run),
      "--reporter=junit",
      `--reporter-outfile=${reportPath}`,
      ...(run.name === undefined ? [] : [`--test-name-pattern=${run.name}`]),
      ...run.files.map((file) => `./${file}`),
    ],
    { cwd: run.root, env: run.environment.env, stdio: ["ignore", "inherit", "inherit"] },
  );
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killMarked(findMarked(RUN_MARKER, run.environment.marker));
    child.kill("SIGKILL");
  }, PART_TIMEOUT_MS);
  const code = await child.exited;
  countCpu(child);
  clearTimeout(timer);
  return { code, timedOut };
}

function lanes({ part, files }: BunTestRun): string[] {
  const cores = Math.min(CORES_MAX, availableParallelism());
  const count = Math.min(Math.floor(cores * (LANES_PER_CORE[part] ?? 0)), files.length);
  return count < 2 ? [] : [`--parallel=${count}`, "--parallel-delay=0"];
}

/** The report leaves out what never ran, so files it does not know and a bad exit without a reason count as failures. */
function count(run: BunTestRun, report: JunitReport | undefined, code: number): Tally {
  const told = report?.tally ?? NOTHING;
  const shown = run.name === undefined ? told : { ...told, skipped: 0 };
  const total = sum([shown, ...unreached(run, report).map(() => ONE_FAILED)]);
  return code !== 0 && total.failed === 0 ? sum([total, ONE_FAILED]) : total;
}

function unreached(run: BunTestRun, report: JunitReport | undefined): string[] {
  return run.files.filter((file) => !report?.files.has(file));
}

/** In other words than the last line, which has to be the only one of its kind. */
function partInWords({ passed, failed, skipped }: Tally): string {
  return [
    `${passed + failed} tests`,
    ...(failed > 0 ? [`${failed} of them failed`] : []),
    ...(skipped > 0 ? [`${skipped} more left out`] : []),
  ].join(", ");
}
