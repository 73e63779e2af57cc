import { mainThreadEvents, tasksIn } from "../../tests/support/page-trace.ts";

/**
 * For each key of a trace: how long the page's main thread worked, in its own time, from the task that took the key to
 * the commit of the frame that shows it. On a machine that has time for the page, this is what the page itself adds.
 */
export function keyWorkMs(trace: Uint8Array): readonly number[] {
  const events = mainThreadEvents(trace);
  const tasks = tasksIn(events);
  const commits = events.filter(({ name }) => name === "Commit").toSorted((a, b) => a.fromMs - b.fromMs);
  const keys = events.filter(({ name, type }) => name === "EventDispatch" && type === "keydown");
  return keys.flatMap((key) => {
    const taken = tasks.find(({ fromMs, untilMs }) => fromMs <= key.fromMs && key.fromMs <= untilMs);
    const shown = commits.find(({ fromMs }) => fromMs > key.fromMs);
    if (!taken || !shown) return [];
    const between = tasks.filter(({ fromMs }) => fromMs >= taken.fromMs && fromMs < shown.untilMs);
    return [between.reduce((sum, { workMs }) => sum + workMs, 0)];
  });
}
