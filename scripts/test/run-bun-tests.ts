import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { findMarked, killMarked } from "./marked-processes.ts";
import { type JunitReport, readJunit } from "./read-junit.ts";
import { reportLine, seconds } from "./report.ts";
import { NOTHING, ONE_FAILED, sum, type Tally } from "./tally.ts";
import { RUN_MARKER, type TestEnvironment } from "./test-environment.ts";

/** Generous, since the machine may be busy: a test that waits for an event should fail by its own deadline first. */
const TEST_TIMEOUT_MS = 240_000;
/** A part that hangs is ended and fails. On a calm machine the longest takes a quarter of an hour; a busy one may need twice that and more. */
const PART_TIMEOUT_MS = 40 * 60 * 1_000;

/** More files at once than this only wait for each other. What is run again is run alone. */
const LANES_MAX = 2;
const PARTS_IN_LANES: ReadonlySet<string> = new Set(["unit", "integration", "browser"]);
/** More files than this do not fail by chance, and what fails this often again does not either. */
const LOOKED_AT_AGAIN_FILES_MAX = 6;
const LOOKS_AGAIN_MAX = 2;

export type BunTestRun = {
  readonly root: string;
  readonly part: string;
  readonly files: readonly string[];
  /** Only tests whose name matches; the others then do not count as skipped. */
  readonly name: string | undefined;
  readonly environment: TestEnvironment;
};

type Outcome = { readonly tally: Tally; readonly failures: readonly string[] };

/**
 * Runs files in one `bun test` and counts from its report; what fails is printed as it happens and named again at the end.
 * In CI, on machines shared with others, the few files that failed are run again by themselves: what passes then
 * counts, and is named as unsteady, so that it is seen and mended.
 */
export async function runBunTests(run: BunTestRun): Promise<Tally> {
  const first = await runOnce(run);
  if (process.env["CI"] !== "true") return first.tally;
  let last = first;
  for (let look = 1; look <= LOOKS_AGAIN_MAX && isWorthAnotherLook(last); look++) {
    const again = await runOnce({ ...run, part: `${run.part}, look ${look + 1}`, files: filesOf(last) });
    for (const failure of last.failures.filter((name) => !again.failures.includes(name)))
      reportLine("note", "unsteady", `passed only when run again: ${failure}`);
    last = again;
  }
  const { passed, failed } = first.tally;
  return { ...first.tally, passed: passed + failed - last.tally.failed, failed: last.tally.failed };
}

/** Only failed tests are run again: a file that was never reached, or a run that was ended, stays a failure. */
function isWorthAnotherLook(outcome: Outcome): boolean {
  const { tally, failures } = outcome;
  return (
    failures.length > 0 && tally.failed === failures.length && filesOf(outcome).length <= LOOKED_AT_AGAIN_FILES_MAX
  );
}

function filesOf({ failures }: Outcome): string[] {
  return [...new Set(failures.map((failure) => failure.split(" > ")[0] ?? ""))];
}

async function runOnce(run: BunTestRun): Promise<Outcome> {
  const startedAt = performance.now();
  const reportPath = join(run.environment.folder, `${run.part}.xml`);
  const { code, timedOut } = await spawnBunTest(run, reportPath);
  const report = existsSync(reportPath) ? readJunit(await readFile(reportPath, "utf8")) : undefined;
  const tally = count(run, report, code);
  reportLine(tally.failed === 0 ? "ok" : "FAIL", run.part, `${partInWords(tally)} in ${seconds(startedAt)}`);
  if (timedOut) console.log(`      | ended after ${PART_TIMEOUT_MS / 60_000} minutes`);
  for (const file of unreached(run, report)) console.log(`      | ${file}: no test in it was reached`);
  for (const failure of report?.failures ?? []) console.log(`      | ${failure}`);
  return { tally, failures: report?.failures ?? [] };
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
  clearTimeout(timer);
  return { code, timedOut };
}

function lanes({ part, files }: BunTestRun): string[] {
  const count = Math.min(LANES_MAX, availableParallelism(), files.length);
  return !PARTS_IN_LANES.has(part) || count < 2 ? [] : [`--parallel=${count}`, "--parallel-delay=0"];
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

/** Not in the words of the last line, which has to be the only one of its kind. */
function partInWords({ passed, failed, skipped }: Tally): string {
  return [
    `${passed + failed} tests`,
    ...(failed > 0 ? [`${failed} of them failed`] : []),
    ...(skipped > 0 ? [`${skipped} more left out`] : []),
  ].join(", ");
}
