import { mainThreadEvents, tasksIn } from "../../tests/support/page-trace.ts";

/** The longest task of any page's main thread in a trace, in the thread's own time. */
export function longestTaskMs(trace: Uint8Array): number {
  return Math.max(...tasksIn(mainThreadEvents(trace)).map(({ workMs }) => workMs));
}
