import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

const MICROSECONDS_PER_MS = 1_000;
const PRELOAD = join(import.meta.dirname, "load-mutant.ts");

export interface BunTestRequest {
  readonly root: string;
  readonly tests: readonly string[];
  readonly timeoutMs: number;
  readonly hasCoverage?: boolean;
  /** The changed file, and its text. */
  readonly mutant?: { readonly path: Mutant["path"]; readonly text: string };
}

export interface BunTestOutcome extends AsyncDisposable {
  readonly outcome: "passed" | "failed" | "timed out";
  /** CPU time, which a busy machine does not lengthen much. */
  readonly tookMs: number;
  readonly folder: string;
}

/** Runs test files in a process of their own until one fails. */
export async function runBunTest(request: BunTestRequest): Promise<BunTestOutcome> {
  const { root, tests, timeoutMs, mutant, hasCoverage = false } = request;
  const folder = await mkdtemp(join(tmpdir(), "liminal-mutant-"));
  const changed = join(folder, "mutant.ts");
  if (mutant) await writeFile(changed, mutant.text);
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--no-env-file",
      "--bail",
      `--timeout=${Math.ceil(timeoutMs)}`,
      ...(mutant ? ["--preload", PRELOAD] : []),
      ...(hasCoverage ? ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`] : []),
      ...tests.map((test) => `./${test}`),
    ],
    {
      cwd: root,
      env: {
        ...process.env,
        HOME: folder,
        LIMINAL_SEED: "1",
        ...(mutant && { LIMINAL_MUTANT_FILE: join(root, mutant.path), LIMINAL_MUTANT_TEXT: changed }),
      },
      stdio: ["ignore", "ignore", "ignore"],
      timeout: Math.ceil(timeoutMs),
      killSignal: "SIGKILL",
    },
  );
  await child.exited;
  const outcome = child.signalCode !== null ? "timed out" : child.exitCode === 0 ? "passed" : "failed";
  return {
    outcome,
    tookMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / MICROSECONDS_PER_MS,
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
