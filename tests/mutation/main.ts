// Changes the pure core in small ways and looks whether its unit tests notice: npm run mutate [-- options]
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Glob } from "bun";
import { testFiles } from "../../scripts/test/test-files.ts";
import { SeededRandom } from "../support/seeded-random.ts";
import { type CoveringTests, coveringTests } from "./covering-tests.ts";
import { inWords, type Mutant, mutantsOf, mutated } from "./mutants.ts";
import { runBunTest } from "./run-bun-test.ts";

const USAGE = `npm run mutate -- [options]
  --only <text>     only files whose path contains the text
  --sample <n>      mutants per folder (default: 60)
  --all             every mutant
  --seed <text>     which mutants are taken (default: 1)
  --lanes <n>       mutants at a time (default: one per processor)
  --fresh           forget the results of earlier runs`;
const FOLDERS = ["src/protocol", "src/sessions/rules", "src/sessions/policy"];
const CACHE_FOLDER = "node_modules/.cache/liminal-mutation";
/** A mutant that makes a loop endless is noticed by the time it takes. */
const TIMEOUT_FACTOR = 10;
const TIMEOUT_LEAST_MS = 60_000;

type Fate = "killed" | "survived" | "not covered";
type Results = Record<string, Fate>;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    sample: { type: "string", default: "60" },
    all: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: String(availableParallelism()) },
    fresh: { type: "boolean", default: false },
    root: { type: "string", default: `${import.meta.dirname}/../..` },
    help: { type: "boolean", default: false },
  },
});
const root = resolve(options.root);

if (options.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const sources = FOLDERS.flatMap((folder) => [...new Glob(`${folder}/**/*.ts`).scanSync({ cwd: root })])
    .filter((path) => !path.endsWith(".test.ts"))
    .sort();
  const texts = new Map(await Promise.all(sources.map(async (path) => [path, await readText(path)] as const)));
  const chosen = FOLDERS.flatMap((folder) => chooseFrom(folder, sources, texts));
  console.log(`${chosen.length} mutants, seed ${options.seed}; looking which tests run them …`);
  const wanted = new Set(chosen.map(({ path }) => path));
  const tests = testFiles(root, "unit");
  const covering = await coveringTests(root, { tests, sources, wanted }, cacheFile("coverage"), inLanes);
  const before: Results = options.fresh ? {} : await readResults();
  const results: Results = {};
  const survivors: string[] = [];
  await inLanes(chosen, async (mutant) => {
    const text = texts.get(mutant.path) ?? "";
    const key = await keyOf(mutant, text, covering);
    const fate = before[key] ?? (await fateOf(mutant, text, covering));
    results[key] = fate;
    if (fate !== "killed") survivors.push(`${fate}: ${inWords(text, mutant)}`);
  });
  await writeFile(cacheFile("results"), JSON.stringify({ ...before, ...results }));
  for (const line of survivors.sort()) console.log(line);
  await printTable(chosen, texts, covering, results);
}

function chooseFrom(folder: string, sources: readonly string[], texts: ReadonlyMap<string, string>): Mutant[] {
  const all = sources
    .filter((path) => path.startsWith(`${folder}/`) && path.includes(options.only))
    .flatMap((path) => mutantsOf(path, texts.get(path) ?? ""));
  if (options.all) return all;
  const random = new SeededRandom(`${options.seed}/${folder}`);
  const drawn = all.map((mutant) => ({ mutant, lot: random.fraction() })).sort((a, b) => a.lot - b.lot);
  return drawn.slice(0, Number(options.sample)).map(({ mutant }) => mutant);
}

async function fateOf(mutant: Mutant, text: string, covering: CoveringTests): Promise<Fate> {
  const tests = covering(mutant.path, mutant.line);
  if (tests.length === 0) return "not covered";
  const calmMs = tests.reduce((total, { tookMs }) => total + tookMs, 0);
  await using run = await runBunTest({
    root,
    tests: tests.map(({ test }) => test),
    timeoutMs: Math.max(TIMEOUT_LEAST_MS, TIMEOUT_FACTOR * calmMs),
    mutant: { path: mutant.path, text: mutated(text, mutant) },
  });
  return run.outcome === "passed" ? "survived" : "killed";
}

/** The same change of the same file, looked at by the same tests, has the same fate. */
async function keyOf(mutant: Mutant, text: string, covering: CoveringTests): Promise<string> {
  const tests = covering(mutant.path, mutant.line).map(({ test }) => test);
  const judges = await Promise.all(tests.sort().map(async (test) => `${test}\n${await readText(test)}`));
  return Bun.hash(`${mutant.path}\n${mutated(text, mutant)}\n${judges.join("\n")}`).toString(36);
}

async function printTable(
  chosen: readonly Mutant[],
  texts: ReadonlyMap<string, string>,
  covering: CoveringTests,
  results: Results,
): Promise<void> {
  console.log(`\n${"folder".padEnd(22)} ${"mutants".padStart(8)} ${"killed".padStart(8)} ${"score".padStart(7)}`);
  for (const folder of FOLDERS) {
    const own = chosen.filter(({ path }) => path.startsWith(`${folder}/`));
    if (own.length === 0) continue;
    const keys = await Promise.all(own.map((mutant) => keyOf(mutant, texts.get(mutant.path) ?? "", covering)));
    const killed = keys.filter((key) => results[key] === "killed").length;
    const score = `${Math.round((100 * killed) / own.length)} %`;
    console.log(
      `${folder.padEnd(22)} ${String(own.length).padStart(8)} ${String(killed).padStart(8)} ${score.padStart(7)}`,
    );
  }
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Number(options.lanes) }, lane));
}

async function readResults(): Promise<Results> {
  const path = cacheFile("results");
  return existsSync(path) ? JSON.parse(await readFile(path, "utf8")) : {};
}

function cacheFile(name: string): string {
  return join(root, CACHE_FOLDER, `${name}.json`);
}

function readText(path: string): Promise<string> {
  return readFile(join(root, path), "utf8");
}
