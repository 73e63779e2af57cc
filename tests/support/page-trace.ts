import type { Page } from "playwright-core";
import { z } from "zod";

const US_PER_MS = 1_000;
const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];
const PLAYED_MAX = 10;
const Trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      ts: z.number().optional(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
      args: z
        .looseObject({ name: z.unknown().optional(), data: z.looseObject({ type: z.unknown().optional() }).optional() })
        .optional(),
    }),
  ),
});

/** Something that a page's main thread did. */
export interface ThreadEvent {
  readonly name: string;
  /** Of an event that was dispatched, what kind. */
  readonly type: unknown;
  readonly fromMs: number;
  readonly untilMs: number;
  /** In the thread's own time: what other processes took is not in it. */
  readonly workMs: number;
}

/**
 * What the main threads of all pages did while something was played. Each process begins to record a moment after it
 * was told to: what was played before that is played again.
 */
export async function traceOf(page: Page, play: () => Promise<unknown>): Promise<readonly ThreadEvent[]> {
  const browser = page.context().browser();
  for (let played = 0; played < PLAYED_MAX; played += 1) {
    await browser?.startTracing(page, { categories: CATEGORIES });
    await page.evaluate("console.timeStamp('the beginning')");
    await play();
    const events = mainThreadEvents((await browser?.stopTracing()) ?? new Uint8Array());
    if (events.some(({ name }) => name === "TimeStamp")) return events;
  }
  throw new Error("no trace has the beginning of what was played");
}

/** What the main threads of all pages did in a trace. */
export function mainThreadEvents(trace: Uint8Array): readonly ThreadEvent[] {
  const { traceEvents } = Trace.parse(JSON.parse(new TextDecoder().decode(trace)));
  const mains = new Set(
    traceEvents.flatMap(({ name, pid, tid, args }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid}:${tid}`] : [],
    ),
  );
  return traceEvents.flatMap(({ name, pid, tid, ts, dur = 0, tdur = 0, args }) => {
    if (ts === undefined || !mains.has(`${pid}:${tid}`)) return [];
    const fromMs = ts / US_PER_MS;
    return [{ name, type: args?.data?.type, fromMs, untilMs: fromMs + dur / US_PER_MS, workMs: tdur / US_PER_MS }];
  });
}

export function tasksIn(events: readonly ThreadEvent[]): readonly ThreadEvent[] {
  const tasks = events.filter(({ name }) => name === "RunTask");
  if (tasks.length === 0) throw new Error("the trace holds no task of a page");
  return tasks.toSorted((a, b) => a.fromMs - b.fromMs);
}
