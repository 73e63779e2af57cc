import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Import, importsOf } from "../architecture/imports-of.ts";
import { readSources } from "../architecture/source-file.ts";
import { runBunTest } from "./run-bun-test.ts";

/** A test file that takes more CPU time than this, unchanged, is too slow to be run for each mutant. */
const SLOW_MS = 8_000;
const BASELINE_TIMEOUT_MS = 120_000;

const Covered = z.object({
  hash: z.string(),
  isGreen: z.boolean(),
  tookMs: z.number(),
  lines: z.record(z.string(), z.array(z.int())),
});
type Covered = z.infer<typeof Covered>;
const Cache = z.record(z.string(), Covered);

/** Which test files run a line, quickest first. */
export type CoveringTests = (
  path: string,
  line: number,
) => readonly { readonly test: string; readonly tookMs: number }[];

interface CoverageRequest {
  readonly tests: readonly string[];
  /** What the lines are noted of. */
  readonly sources: readonly string[];
  /** The sources that are of interest now. */
  readonly wanted: ReadonlySet<string>;
}

/**
 * Runs each test that imports one of the wanted sources, however indirectly, once with coverage. A test is not run again
 * while neither it nor anything it imports has changed.
 */
export async function coveringTests(
  root: string,
  { tests, sources, wanted }: CoverageRequest,
  cacheFile: string,
  forEach: (items: readonly string[], work: (item: string) => Promise<void>) => Promise<void>,
): Promise<CoveringTests> {
  const before = existsSync(cacheFile)
    ? Cache.safeParse(JSON.parse(await readFile(cacheFile, "utf8"))).data
    : undefined;
  const files = new Map(
    readSources(root).map((file) => [file.path, { text: file.text, targets: importsOf(file).map(targetOf) }]),
  );
  const reach = (start: string): string[] => {
    const seen = new Set([start]);
    for (const path of seen) for (const target of files.get(path)?.targets ?? []) if (target) seen.add(target);
    return [...seen].sort();
  };
  const known: Record<string, Covered> = {};
  await forEach(tests, async (test) => {
    const reached = reach(test);
    if (!reached.some((path) => wanted.has(path))) return;
    const hash = Bun.hash(reached.map((path) => `${path}\n${files.get(path)?.text ?? ""}`).join("\n")).toString(36);
    const old = before?.[test];
    known[test] = old?.hash === hash ? old : await cover(root, test, hash, new Set(sources));
  });
  await mkdir(dirname(cacheFile), { recursive: true });
  await writeFile(cacheFile, JSON.stringify({ ...before, ...known }));
  const usable = Object.entries(known).filter(([, { isGreen, tookMs }]) => isGreen && tookMs < SLOW_MS);
  for (const [test] of Object.entries(known).filter(([name]) => !usable.some(([used]) => used === name)))
    console.log(`left out  ${test}: ${known[test]?.isGreen ? "too slow" : "red without any mutant"}`);
  usable.sort(([, a], [, b]) => a.tookMs - b.tookMs);
  return (path, line) =>
    usable.flatMap(([test, { lines, tookMs }]) => (lines[path]?.includes(line) ? [{ test, tookMs }] : []));
}

async function cover(root: string, test: string, hash: string, sources: ReadonlySet<string>): Promise<Covered> {
  await using run = await runBunTest({ root, tests: [test], timeoutMs: BASELINE_TIMEOUT_MS, hasCoverage: true });
  const lcov = join(run.folder, "lcov.info");
  const lines: Record<string, number[]> = {};
  for (const part of existsSync(lcov) ? (await readFile(lcov, "utf8")).split("end_of_record") : []) {
    const path = /^SF:(.*)$/m.exec(part)?.[1] ?? "";
    if (!sources.has(path)) continue;
    lines[path] = [...part.matchAll(/^DA:(\d+),[1-9]/gm)].map(([, line]) => Number(line));
  }
  return { hash, isGreen: run.outcome === "passed", tookMs: run.tookMs, lines };
}

function targetOf({ target }: Import): string | undefined {
  return target;
}
