// All tests, or a part of them: node scripts/bun.mjs scripts/test.ts [options]; ends with "N passed, N failed".
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildProgram } from "./test/build-program.ts";
import { childrenCpuSeconds } from "./test/cpu-time.ts";
import { findMarked, killMarked } from "./test/marked-processes.ts";
import { INSTALL_CHROMIUM_COMMAND, obtainChromium, obtainSshServer } from "./test/obtain-programs.ts";
import { proveNothingLeft } from "./test/prove-nothing-left.ts";
import { reportRules, type TestsByEnd, unprovenRules } from "./test/prove-rules.ts";
import { repeatFailures, reportLine, seconds } from "./test/report.ts";
import { runBunTests } from "./test/run-bun-tests.ts";
import { runChecks, runScript } from "./test/run-checks.ts";
import { inWords, NOTHING, ONE_FAILED, ONE_PASSED, sum, type Tally } from "./test/tally.ts";
import { openTestEnvironment, RUN_MARKER, type TestEnvironment } from "./test/test-environment.ts";
import { TEST_PARTS, type TestPart, testFiles } from "./test/test-files.ts";

const USAGE = `npm test -- [options]
  --only <part>     check, unit, integration or browser; may be given more than once
  --filter <text>   only test files whose path contains the text
  --name <pattern>  only tests whose name matches
  --rounds <n>      how often randomised and crash tests repeat (by default a tenth of the full number)
  --seed <text>     seed of the randomised tests
  --no-install      never install Chromium or an SSH server`;
/** Fixed, so that a failed run can be repeated exactly; another seed tests other cases. */
const SEED_DEFAULT = "1";
const PARTS: readonly string[] = ["check", ...TEST_PARTS];

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [...PARTS] },
    filter: { type: "string", default: "" },
    name: { type: "string" },
    rounds: { type: "string" },
    seed: { type: "string", default: SEED_DEFAULT },
    "no-install": { type: "boolean", default: false },
    root: { type: "string", default: `${import.meta.dirname}/..` },
    help: { type: "boolean", default: false },
  },
});
const root = resolve(options.root);

async function main(): Promise<Tally> {
  const startedAt = performance.now();
  await using environment = await openTestEnvironment(options.seed, options.rounds);
  endWithSignals(environment);
  const tallies = options.only.includes("check") ? [await runChecks(root)] : [];
  const parts = TEST_PARTS.filter((part) => options.only.includes(part));
  if (parts.length > 0) {
    console.log(`seed  ${options.seed} (repeat with --seed ${options.seed})`);
    tallies.push(await runScript(root, "build"));
    tallies.push(await buildProgram(root, environment.programFolder));
    const ran = new Map<string, TestsByEnd>();
    for (const part of parts) tallies.push(await runPart(part, environment, ran));
    // A part that was left out proves nothing, and a partial run does not cover all rules.
    if (TEST_PARTS.every((part) => ran.has(part)) && options.filter === "" && options.name === undefined)
      tallies.push(reportRules(await unprovenRules(root, ran)));
    tallies.push(proveHomeUntouched(environment));
  }
  console.log(
    `total ${seconds(startedAt)}, ${childrenCpuSeconds().toFixed(0)} s of CPU (user and system, all children)`,
  );
  return sum(tallies);
}

async function runPart(part: TestPart, environment: TestEnvironment, ran: Map<string, TestsByEnd>): Promise<Tally> {
  const files = testFiles(root, part).filter((file) => file.includes(options.filter));
  if (files.length === 0) {
    reportLine("skip", part, "no test files");
    return NOTHING;
  }
  if (part === "browser" && !(await obtainChromium(!options["no-install"]))) return withoutBrowser(files.length);
  if (part === "unit") await obtainSshServer(!options["no-install"]);
  const tested = await runBunTests({ root, part, files, name: options.name, environment });
  ran.set(part, tested);
  return sum([tested.tally, await proveNothingLeft(part, environment)]);
}

/** Each file counts for its tests, whose number is unknown before they run. */
function withoutBrowser(files: number): Tally {
  const isRequired = process.env["CI"] === "true";
  reportLine(isRequired ? "FAIL" : "skip", "browser", `no Chromium found; run: ${INSTALL_CHROMIUM_COMMAND}`);
  return isRequired ? { ...NOTHING, failed: files } : { ...NOTHING, skipped: files };
}

function proveHomeUntouched(environment: TestEnvironment): Tally {
  const isTouched = environment.isHomeTouched();
  reportLine(isTouched ? "FAIL" : "ok", "home untouched", isTouched ? "a test used the default data dir" : "");
  return isTouched ? ONE_FAILED : ONE_PASSED;
}

function endWithSignals(environment: TestEnvironment): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, async () => {
      killMarked(findMarked(RUN_MARKER, environment.marker));
      await environment[Symbol.asyncDispose]();
      process.exit(1);
    });
  }
}

if (options.help || options.only.some((part) => !PARTS.includes(part))) {
  console.log(USAGE);
  process.exitCode = options.help ? 0 : 2;
} else {
  const total = await main();
  repeatFailures();
  console.log(inWords(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}
