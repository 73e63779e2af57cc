import { readdirSync, readFileSync } from "node:fs";
import { waitUntil } from "./wait-until.ts";

/** The kernel's count for a whole process is in hundredths of a second. */
const TICK_MS = 10;
const NS_PER_MS = 1_000_000;
const KB = 1_024;
const IDLE_MS = 2_000;
const LOOK_EVERY_MS = 100;
const MB = 1_000_000;
const STEADY_MB_MAX = 0.25;

/** User and system time of all threads of one process, children left out. */
export function cpuMs(pid: number): number {
  // Both leave something out, the first all below a tick, the second the threads that have ended: the larger is closer.
  return Math.max(tickedMs(pid), liveThreadsMs(pid));
}

function tickedMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name of the program may contain spaces and brackets; after the last bracket there are only numbers.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [fields[11], fields[12]];
  return (Number(user) + Number(system)) * TICK_MS;
}

function liveThreadsMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + Number(runNanoseconds(pid, thread)) / NS_PER_MS, 0);
}

function runNanoseconds(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0] ?? "0";
  } catch (error) {
    return goneOr(error, "0");
  }
}

export interface Memory {
  /** Its own pages, and its share of the common ones. */
  readonly pssMb: number;
  /** All its pages, including the common ones in full. */
  readonly rssMb: number;
}

export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1]) * KB) / MB;
  return { pssMb: megabytes("Pss"), rssMb: megabytes("Rss") };
}

/** The memory of an idle process: unchanged for two seconds. */
export async function idleMemoryOf(pid: number): Promise<Memory> {
  let seen: Memory[] = [];
  await waitUntil(
    `memory of process ${pid} to settle`,
    () => {
      seen = [...seen, memoryOf(pid)].slice(-IDLE_MS / LOOK_EVERY_MS);
      const sizes = seen.map(({ rssMb }) => rssMb); // its share of common pages moves with other processes, this does not
      return seen.length === IDLE_MS / LOOK_EVERY_MS && Math.max(...sizes) - Math.min(...sizes) <= STEADY_MB_MAX;
    },
    LOOK_EVERY_MS,
  );
  return memoryOf(pid);
}

/** A thread may end between two looks; anything else is a fault. */
function goneOr<Value>(error: unknown, instead: Value): Value {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code === "ENOENT" || code === "ESRCH") return instead;
  throw error;
}
