import { readdirSync, readFileSync } from "node:fs";

const MICROSECONDS_PER_SECOND = 1_000_000;
/** USER_HZ, which Linux guarantees to programs. */
const TICKS_PER_SECOND = 100;
const LOOK_EVERY_MS = 1_000;

let childrenMicroseconds = 0;
let browserSeconds = 0;

/** Adds the usage of an ended child, together with everything it started and waited for: user and system time. */
export function countCpu(child: Bun.Subprocess): void {
  childrenMicroseconds += Number(child.resourceUsage()?.cpuTime.total ?? 0);
}

/** The CPU time of all counted children so far. */
export function childrenCpuSeconds(): number {
  return childrenMicroseconds / MICROSECONDS_PER_SECOND + browserSeconds;
}

/**
 * `using watch = watchBrowserCpu()`: counts the processes of browsers among our descendants, which are not waited for,
 * by reading them once a second. Their usage after the last reading is missing, and all of it without /proc.
 */
export function watchBrowserCpu(): Disposable {
  const seconds = new Map<string, number>();
  const look = () => {
    for (const [key, used] of browserProcesses()) {
      browserSeconds += used - (seconds.get(key) ?? 0);
      seconds.set(key, used);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    [Symbol.dispose]() {
      look();
      clearInterval(timer);
    },
  };
}

type Stat = { readonly parent: string; readonly startedAt: string; readonly seconds: number };

function browserProcesses(): [key: string, seconds: number][] {
  const stats = new Map(processIds().flatMap((pid) => readStat(pid)));
  const isOurs = (pid: string): boolean => {
    if (pid === String(process.pid)) return true;
    const parent = stats.get(pid)?.parent;
    return parent !== undefined && isOurs(parent);
  };
  return [...stats].flatMap(([pid, { startedAt, seconds }]) =>
    isOurs(pid) && quietRead(`/proc/${pid}/cmdline`).includes("--type=") ? [[`${pid} ${startedAt}`, seconds]] : [],
  );
}

function processIds(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no /proc on this system
  }
}

function readStat(pid: string): [pid: string, stat: Stat][] {
  const text = quietRead(`/proc/${pid}/stat`);
  // After the name, which may contain anything: state, parent, …; fields 14 and 15 of the manual page are user and system.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [, parent, , , , , , , , , , user, system, , , , , , , startedAt] = fields;
  if (parent === undefined || startedAt === undefined) return [];
  return [[pid, { parent, startedAt, seconds: (Number(user) + Number(system)) / TICKS_PER_SECOND }]];
}

function quietRead(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}
