import { z } from "zod";

const US_PER_MS = 1_000;
const Trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      tdur: z.number().optional(),
      args: z.looseObject({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

/** The longest task of any page's main thread in a trace, in the thread's own time: what other processes took is not in it. */
export function longestTaskMs(trace: Uint8Array): number {
  const { traceEvents } = Trace.parse(JSON.parse(new TextDecoder().decode(trace)));
  const mains = new Set(
    traceEvents.flatMap(({ name, pid, tid, args }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid}:${tid}`] : [],
    ),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === "RunTask" && mains.has(`${pid}:${tid}`));
  if (tasks.length === 0) throw new Error("the trace holds no task of a page");
  return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / US_PER_MS;
}
