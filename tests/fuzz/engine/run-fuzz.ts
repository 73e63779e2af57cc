import { chosenTargets } from "../targets.ts";
import type { Finding } from "./fuzz-target.ts";
import type { WorkerOrder, WorkerReport } from "./fuzz-worker.ts";

/** A case takes microseconds; one that takes this long, on however busy a machine, has no end. */
const CASE_MS_MAX = 120_000;
const LOOK_EVERY_MS = 5_000;
const REPORT_EVERY_MS = 15_000;

export interface TargetCount {
  readonly target: string;
  readonly corpusSize: number;
  executions: number;
  /** Time of all workers together. */
  ms: number;
  findings: number;
  hits: number;
}

interface FuzzRun extends Pick<WorkerOrder, "names" | "seed" | "jobs" | "executions" | "endsAtMs" | "folder"> {
  readonly onFinding: (finding: Finding) => void;
  readonly onRound: (counts: readonly TargetCount[]) => void;
}

export interface FuzzOutcome {
  readonly counts: readonly TargetCount[];
  readonly jobs: number;
  readonly ms: number;
}

/** Splits the cases among workers, one for each core, and counts. */
export async function runFuzz(run: FuzzRun): Promise<FuzzOutcome> {
  const startedAt = performance.now();
  const targets = chosenTargets(run.names);
  const counts = new Map<string, TargetCount>(
    targets.map(({ name, corpusSize }) => [
      name,
      { target: name, corpusSize, executions: 0, ms: 0, findings: 0, hits: 0 },
    ]),
  );
  const rules = new Set<string>();
  const take = (report: WorkerReport) => {
    if (report.type === "done") return;
    const count = counts.get(report.type === "cases" ? report.target : report.finding.target);
    if (!count) return;
    if (report.type === "cases") {
      count.executions += report.executions;
      count.ms += report.ms;
      count.hits += report.hits;
      return;
    }
    // Two workers may come upon the same.
    const key = `${count.target}: ${report.finding.rule}`;
    if (rules.has(key)) return;
    rules.add(key);
    count.findings += 1;
    run.onFinding(report.finding);
  };
  const reporting = setInterval(() => run.onRound([...counts.values()]), REPORT_EVERY_MS);
  await Promise.all(Array.from({ length: run.jobs }, (_, job) => runWorker(run, job, take)));
  clearInterval(reporting);
  return { counts: [...counts.values()], jobs: run.jobs, ms: performance.now() - startedAt };
}

function runWorker(run: FuzzRun, job: number, take: (report: WorkerReport) => void): Promise<void> {
  const { names, seed, jobs, executions, endsAtMs, folder } = run;
  const place = new SharedArrayBuffer(8);
  const worker = new Worker(new URL("./fuzz-worker.ts", import.meta.url).href);
  return new Promise((resolve, reject) => {
    const watching = watchForEndless(new Int32Array(place), (target, index) => {
      const finding = endless(names, seed, target, index);
      run.onFinding(finding);
      // A loop without end cannot be interrupted from outside; the process ends with it.
      process.exit(1);
    });
    worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      take(data);
      if (data.type !== "done") return;
      clearInterval(watching);
      worker.terminate();
      resolve();
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ names, seed, job, jobs, executions, endsAtMs, folder, place } satisfies WorkerOrder);
  });
}

function watchForEndless(place: Int32Array, onEndless: (target: number, index: number) => void) {
  let seen = [-1, -1];
  let since = Date.now();
  return setInterval(() => {
    const [target = -1, index = -1] = place;
    if (target === seen[0] && index === seen[1] && target !== -1) {
      if (Date.now() - since > CASE_MS_MAX) onEndless(target, index);
      return;
    }
    seen = [target, index];
    since = Date.now();
  }, LOOK_EVERY_MS);
}

function endless(names: readonly string[], seed: string, at: number, index: number): Finding {
  const target = chosenTargets(names)[at];
  if (!target) throw new Error("a case without end, of no target");
  const details = `it ran for more than ${CASE_MS_MAX / 1_000} seconds; not shrunk`;
  return { target: target.name, seed, index, rule: "a case without end", details, input: target.inputOf(seed, index) };
}
