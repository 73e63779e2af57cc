// Our server with the real agents of npm behind it: node scripts/bun.mjs scripts/test-agents.ts; ends with "N passed, N failed".
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Glob } from "bun";
import { agentCache, CACHE_VARIABLE } from "./agents/agent-packages.ts";
import { installAgents } from "./agents/install-agents.ts";
import { buildProgram } from "./test/build-program.ts";
import { findMarked, killMarked } from "./test/marked-processes.ts";
import { obtainChromium } from "./test/obtain-programs.ts";
import { proveNothingLeft } from "./test/prove-nothing-left.ts";
import { reportRules, unprovenAgentRules } from "./test/prove-rules.ts";
import { repeatFailures, reportLine, seconds } from "./test/report.ts";
import { runBunTests } from "./test/run-bun-tests.ts";
import { runScript } from "./test/run-checks.ts";
import { inWords, NOTHING, sum, type Tally } from "./test/tally.ts";
import { openTestEnvironment, RUN_MARKER, type TestEnvironment } from "./test/test-environment.ts";

const USAGE = `npm run test:agents -- [options]
  --filter <text>   only test files whose path contains the text
  --name <pattern>  only tests whose name matches
  --rounds <n>      how often crash tests repeat: 20 is in full, by default a tenth of that; also tests OpenCode
  --seed <text>     seed of the randomised tests
  --no-install      never install an agent or Chromium`;

const { values: options } = parseArgs({
  options: {
    filter: { type: "string", default: "" },
    name: { type: "string" },
    rounds: { type: "string" },
    seed: { type: "string", default: "0" },
    "no-install": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const root = resolve(import.meta.dirname, "..");
/** A run in CI must prove everything. */
const isRequired = process.env["CI"] === "true";

async function main(): Promise<Tally> {
  const startedAt = performance.now();
  const cache = agentCache(process.env);
  const installed = await installAgents(cache, {
    mayInstall: !options["no-install"],
    isRequired,
    withExtra: options.rounds !== undefined,
  });
  await using environment = await openTestEnvironment(options.seed, options.rounds);
  endWithSignals(environment);
  const env = { ...environment.env, [CACHE_VARIABLE]: cache };
  const program = await buildProgram(root, environment.programFolder);
  const tallies = [installed, await runScript(root, "build"), program, await runPart({ ...environment, env })];
  console.log(`total ${seconds(startedAt)}`);
  return sum(tallies);
}

async function runPart(environment: TestEnvironment): Promise<Tally> {
  const all = [...new Glob("tests/agents/**/*.test.ts").scanSync({ cwd: root })].sort();
  const chosen = all.filter((file) => file.includes(options.filter));
  const hasBrowser = (await obtainChromium(!options["no-install"])) !== undefined;
  const files = chosen.filter((file) => hasBrowser || !file.endsWith(".browser.test.ts"));
  const left = { ...NOTHING, [isRequired ? "failed" : "skipped"]: chosen.length - files.length };
  if (!hasBrowser) reportLine(isRequired ? "FAIL" : "skip", "page", "no Chromium found");
  if (files.length === 0) return left;
  const tested = await runBunTests({ root, part: "agents", files, name: options.name, environment });
  const isWhole = hasBrowser && options.filter === "" && options.name === undefined;
  const rules = isWhole ? reportRules(unprovenAgentRules(root, tested.passed)) : NOTHING;
  return sum([left, tested.tally, rules, await proveNothingLeft("agents", environment)]);
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

if (options.help) {
  console.log(USAGE);
} else {
  const total = await main();
  repeatFailures();
  console.log(inWords(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}
