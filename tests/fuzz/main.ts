// Seeded fuzzing: npm run fuzz -- [--target name] [--executions N | --minutes M] [--seed S]; see docs/testing.md.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keepFinding } from "./engine/corpus.ts";
import { fuzzTable, inWords } from "./engine/fuzz-table.ts";
import type { Finding } from "./engine/fuzz-target.ts";
import { runFuzz } from "./engine/run-fuzz.ts";
import { chosenTargets, TARGETS } from "./targets.ts";

const USAGE = `npm run fuzz -- [options]
  --target <name>    only this one; may be given more than once: ${TARGETS.map(({ name }) => name).join(", ")}
  --executions <n>   how many over all targets together (by default 1000000)
  --minutes <m>      as many as fit into this time
  --seed <text>      another seed looks elsewhere (by default a new one for each run)
  --case <n>         only this case of one target, as it was printed with a finding
  --jobs <n>         workers at the same time (by default one for each core)`;
const EXECUTIONS_DEFAULT = 1_000_000;
const SHOWN_CHARS_MAX = 2_000;
const MINUTE_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    target: { type: "string", multiple: true, default: [] },
    executions: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    case: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    help: { type: "boolean", default: false },
  },
});

function show({ target, seed, index, rule, details, input }: Finding): void {
  console.log(`\nFOUND in ${target}: ${rule}`);
  console.log(`  input    ${JSON.stringify(input).slice(0, SHOWN_CHARS_MAX)}`);
  console.log(`  details  ${details.replaceAll("\n", "\n           ")}`);
  console.log(`  repeat   npm run fuzz -- --target ${target} --seed ${seed} --case ${index}`);
}

async function runOneCase(index: number): Promise<number> {
  const [target] = chosenTargets(options.target);
  if (options.target.length !== 1 || !target) throw new Error("--case needs exactly one --target");
  console.log(`input ${JSON.stringify(target.inputOf(options.seed, index))}`);
  const finding = await target.run(options.seed, index);
  if (finding) show(await target.shrink(finding));
  else console.log("all rules hold");
  return finding ? 1 : 0;
}

async function runAll(folder: string): Promise<number> {
  console.log(`seed ${options.seed} (repeat with --seed ${options.seed})`);
  const minutes = options.minutes === undefined ? null : Number(options.minutes);
  const executions = Number(options.executions ?? EXECUTIONS_DEFAULT);
  let findings = 0;
  const outcome = await runFuzz({
    names: options.target,
    seed: options.seed,
    folder,
    jobs: Math.max(1, Number(options.jobs)),
    executions: minutes === null ? executions : null,
    endsAtMs: minutes === null ? null : Date.now() + minutes * MINUTE_MS,
    onFinding: (finding) => {
      findings += 1;
      show(finding);
      console.log(`  kept in  ${keepFinding(finding.target, finding.rule, finding.input)}`);
    },
    onRound: (counts) => console.log(inWords(counts)),
  });
  console.log(fuzzTable(outcome));
  return findings === 0 ? 0 : 1;
}

const isNumber = (text: string | undefined) => text === undefined || Number(text) > 0;
if (options.help || ![options.executions, options.minutes, options.jobs].every(isNumber)) {
  console.log(USAGE);
  process.exitCode = options.help ? 0 : 2;
} else {
  // Whatever targets leave in the temporary folder, workers included, goes with this one.
  const folder = mkdtempSync(join(tmpdir(), "liminal-fuzz-"));
  process.env["TMPDIR"] = folder;
  process.exitCode = options.case === undefined ? await runAll(folder) : await runOneCase(Number(options.case));
  rmSync(folder, { recursive: true, force: true });
}
