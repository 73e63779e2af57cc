import { writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadReport } from "./load/measure-load.ts";
import type { TortureOrders, TortureReport } from "./run-torture.ts";

/** What the table says of what was asked for. */
type PrintedOrders = Pick<TortureOrders, "seed" | "minutes" | "size" | "say" | "isStopped"> & {
  readonly faults: readonly { readonly name: string }[];
  /** More words of the command that repeats it. */
  readonly words?: string;
};

const MB = 1_000_000;
const BREACHES_SHOWN_MAX = 25;

/** The table at the end of a run. */
export function printReport(orders: PrintedOrders, report: TortureReport): void {
  const { sessions, agents, readers } = orders.size;
  const count = (...kinds: string[]) => report.breaches.filter(({ kind }) => kinds.includes(kind)).length;
  const injected = [...report.injected.values()].reduce((sum, times) => sum + times, 0);
  const rows: [string, string][] = [
    ["seed", orders.seed],
    ["size", `${sessions} sessions, ${agents} agent processes, ${readers} readers of each and the user`],
    ["rounds", `${report.rounds}, with ${report.turns} messages and ${report.serverStarts} server starts`],
    ["faults injected", String(injected)],
    ...orders.faults.map(({ name }): [string, string] => [`  ${name}`, timesOf(name, report)]),
    [
      "facts acknowledged",
      `${report.factsAcknowledged} to readers, ${report.commandsAcknowledged} commands (${report.commandsRefused} refused)`,
    ],
    [
      "  found in the log",
      `${report.factsChecked} word for word${report.gaps > 0 ? `; ${report.gaps} logs were cut before they were read` : ""}`,
    ],
    ...stepRows(report),
    ["facts lost", String(count("lost"))],
    ["duplicates", String(count("duplicate"))],
    ["divergent readers", String(count("divergent"))],
    ["orphans", String(count("orphan"))],
    ["other breaches", String(count("memory", "other"))],
    ["server memory", `${mb(report.peakBytes)} at its peak, ${mb(report.settledBytes)} settled`],
    ...loadRows(report.load),
    [
      "load average",
      loadavg()
        .map((load) => load.toFixed(1))
        .join(" "),
    ],
    ["repeat with", repeatWith(orders)],
  ];
  for (const [name, value] of rows) orders.say(`${name.padEnd(26)} ${value}`);
  for (const { kind, what } of report.breaches.slice(0, BREACHES_SHOWN_MAX)) orders.say(`BREACH ${kind}: ${what}`);
  if (report.breaches.length > 0) orders.say(`the server's log: ${keepLog(orders, report)}`);
  orders.say(verdict(orders, report));
}

function verdict({ isStopped }: PrintedOrders, { breaches }: TortureReport): string {
  if (breaches.length > 0) return `${breaches.length} breaches`;
  return isStopped()
    ? "broken off: every invariant held, but the last round was not looked at"
    : "every invariant held";
}

function keepLog({ seed }: PrintedOrders, { serverLog }: TortureReport): string {
  const path = join(tmpdir(), `liminal-torture-${seed.replace(/\W/g, "_")}.log`);
  writeFileSync(path, serverLog, { mode: 0o600 });
  return path;
}

function timesOf(name: string, { injected, skipped }: TortureReport): string {
  const reason = skipped.get(name);
  const times = injected.get(name);
  if (times !== undefined) return String(times);
  return reason === undefined ? "0 (not drawn)" : `0 (skipped: ${reason})`;
}

/** Of worktrees, merges, restores and moves. */
function stepRows({ steps: { cutOff, over } }: TortureReport): [string, string][] {
  if (cutOff + over === 0) return [];
  return [["  workspace steps", `${cutOff} cut off in the middle by a kill, ${over} just over when it came`]];
}

function loadRows(load: LoadReport | null): [string, string][] {
  if (!load) return [];
  const { sessions, one, all } = load;
  const each = { cpuMs: all.cpuMs / sessions, bytes: all.bytes / sessions, facts: all.factsPerSecond / sessions };
  const perFact = all.cpuMs / all.factsPerSecond / (one.cpuMs / one.factsPerSecond);
  const share = (whole: number, of: number) => `${(whole / of).toFixed(2)} of one alone`;
  const { before, after, heapBefore, heapAfter } = load;
  return [
    [
      "1 streaming session",
      `${one.factsPerSecond.toFixed(1)} facts/s, ${one.cpuMs.toFixed(1)} ms/s of CPU, ${mb(one.bytes)}`,
    ],
    [
      `${sessions} streaming sessions`,
      `${each.facts.toFixed(1)} facts/s, ${each.cpuMs.toFixed(1)} ms/s of CPU, ${mb(each.bytes)} each`,
    ],
    ["  CPU per session", `${share(each.cpuMs, one.cpuMs)}; per fact ${perFact.toFixed(2)}`],
    ["  memory per session", `${share(each.bytes, one.bytes)} (server and holders)`],
    ["  memory around the load", `${mb(before)} before, ${mb(after)} after; heap ${mb(heapBefore)}, ${mb(heapAfter)}`],
  ];
}

function repeatWith({ seed, minutes, size, faults, words = "" }: PrintedOrders): string {
  const all = faults.map(({ name }) => name).join(",");
  return `npm run torture --${words} --minutes ${minutes} --seed ${seed} --sessions ${size.sessions} --faults ${all}`;
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}
