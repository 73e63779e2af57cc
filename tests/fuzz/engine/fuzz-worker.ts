import { chosenTargets } from "../targets.ts";
import type { Finding } from "./fuzz-target.ts";
import { runCases, sharesOf } from "./run-cases.ts";

/** What a worker is to do: its part of each round, until all is executed or the time is over. */
export interface WorkerOrder {
  readonly names: readonly string[];
  readonly seed: string;
  readonly job: number;
  readonly jobs: number;
  readonly executions: number | null;
  readonly endsAtMs: number | null;
  /** For whatever targets put on the disk. */
  readonly folder: string;
  /** Two numbers: the target and the case. If they do not change for long, the case does not end. */
  readonly place: SharedArrayBuffer;
}

export type WorkerReport =
  | {
      readonly type: "cases";
      readonly target: string;
      readonly executions: number;
      readonly ms: number;
      readonly hits: number;
    }
  | { readonly type: "finding"; readonly finding: Finding }
  | { readonly type: "done" };

/** Executions of one round, over all targets and workers: small enough for a count every few seconds. */
const ROUND_EXECUTIONS = 200_000;

declare const self: Worker;

function tell(report: WorkerReport): void {
  self.postMessage(report);
}

self.onmessage = async ({ data }: MessageEvent<WorkerOrder>) => {
  process.env["TMPDIR"] = data.folder;
  const targets = chosenTargets(data.names);
  const place = new Int32Array(data.place);
  const reported = new Set<string>();
  const round = sharesOf(targets, ROUND_EXECUTIONS);
  const whole = data.executions === null ? null : sharesOf(targets, data.executions);
  const isOver = () => data.endsAtMs !== null && Date.now() >= data.endsAtMs;
  for (let rounds = 0, isLeft = true; isLeft && !isOver(); rounds += 1) {
    isLeft = false;
    for (const [at, target] of targets.entries()) {
      const size = round[at] ?? 0;
      const end = whole?.[at] ?? Number.POSITIVE_INFINITY;
      const from = rounds * size + data.job;
      const to = Math.min(end, (rounds + 1) * size);
      isLeft ||= to < end;
      if (from >= to || isOver()) continue;
      const cases = { target, seed: data.seed, from, to, step: data.jobs };
      const report = await runCases(cases, reported, {
        onCase: (index) => {
          place[0] = at;
          place[1] = index;
        },
        // Shrinking takes its time, and ends.
        onShrink: () => {
          place[0] = -1;
        },
        onFinding: (finding) => tell({ type: "finding", finding }),
      });
      tell({ type: "cases", target: target.name, ...report });
    }
  }
  place[0] = -1;
  tell({ type: "done" });
};
