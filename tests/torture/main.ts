// npm run torture -- --minutes 10 --seed S: see docs/torture.md.
import { parseArgs } from "node:util";
import { tempDir } from "../support/temp-dir.ts";
import { FAULTS } from "./faults/fault-table.ts";
import { printReport } from "./report.ts";
import { Torture, type TortureOrders } from "./run-torture.ts";
import { commandWithPrivateMounts, PRIVATE_MOUNTS } from "./scene/private-disk.ts";
import { sizeOf } from "./scene-size.ts";
import { TeamTorture, type TeamTortureOrders } from "./team/run-team-torture.ts";
import { TEAM_FAULTS } from "./team/team-faults.ts";

const USAGE = `npm run torture -- [options]
  --minutes <n>     how long (10)
  --seed <text>     what chance chooses; printed, so that a run can be repeated
  --sessions <n>    sessions (100); agents and readers follow: one agent for five sessions, up to ten readers
  --faults <a,b>    only these: ${FAULTS.map(({ name }) => name).join(", ")}
  --no-load         leaves out the measuring of the load
  --load            only the measuring of the load
  --team            a team of servers on PostgreSQL with a standby; its faults are ${TEAM_FAULTS.map(({ name }) => name).join(", ")}
  --servers <n>     of the team (3)`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    sessions: { type: "string" },
    faults: { type: "string" },
    load: { type: "boolean", default: false },
    "no-load": { type: "boolean", default: false },
    team: { type: "boolean", default: false },
    servers: { type: "string", default: "3" },
    help: { type: "boolean", default: false },
  },
});

const LOAD_MS = 10_000;
const SESSIONS = 100;
const TEAM_SESSIONS = 10;

async function main(): Promise<number> {
  await using dir = await tempDir();
  const wanted = options.faults?.split(",");
  const known: readonly { readonly name: string }[] = options.team ? TEAM_FAULTS : FAULTS;
  const unknown = wanted?.filter((name) => !known.some((fault) => fault.name === name)) ?? [];
  if (options.help || unknown.length > 0) {
    console.log(unknown.length > 0 ? `There is no fault ${unknown.join(", ")}.\n${USAGE}` : USAGE);
    return unknown.length > 0 ? 2 : 0;
  }
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      if (!isStopped) console.log("Stopping: this round is broken off.");
      isStopped = true;
    });
  const isWanted = ({ name }: { readonly name: string }) => wanted === undefined || wanted.includes(name);
  const common = {
    seed: options.seed,
    minutes: Number(options.minutes),
    root: dir.path,
    say: (line: string) => console.log(line),
    isStopped: () => isStopped,
  };
  console.log(`seed ${common.seed}`);
  if (options.team) {
    const sessions = Number(options.sessions ?? TEAM_SESSIONS);
    const orders: TeamTortureOrders = {
      ...common,
      roundsMax: Number.POSITIVE_INFINITY,
      faults: TEAM_FAULTS.filter(isWanted),
      size: { ...sizeOf(sessions), servers: Number(options.servers) },
    };
    const report = await new TeamTorture(orders).run();
    printReport({ ...orders, words: ` --team --servers ${options.servers}` }, report);
    return report.breaches.length === 0 && !isStopped ? 0 : 1;
  }
  const orders: TortureOrders = {
    ...common,
    roundsMax: options.load ? 0 : Number.POSITIVE_INFINITY,
    faults: FAULTS.filter(isWanted),
    size: sizeOf(Number(options.sessions ?? SESSIONS)),
    loadMs: options["no-load"] ? 0 : LOAD_MS,
  };
  const report = await new Torture(orders).run();
  printReport(orders, report);
  return report.breaches.length === 0 && !isStopped ? 0 : 1;
}

/** The same again, where its mounts are nobody else's; null where that is not allowed. */
async function inPrivateMounts(): Promise<number | null> {
  if (process.env[PRIVATE_MOUNTS] !== undefined) return null;
  const command = commandWithPrivateMounts([process.execPath, ...process.argv.slice(1)]);
  if (!command) return null;
  const env = { ...process.env, [PRIVATE_MOUNTS]: "1" };
  const child = Bun.spawn(command, { env, stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
}

process.exit((await inPrivateMounts()) ?? (await main()));
