// Installs the packed program in every way users do, and walks through it: node scripts/bun.mjs scripts/test-install.ts
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentCache } from "./agents/agent-packages.ts";
import { buildExecutable } from "./executable/build-executable.ts";
import { Journey, STEPS, type Step } from "./install/journey.ts";
import { runTool } from "./install/run-tool.ts";
import { UserSystemd } from "./install/user-systemd.ts";
import {
  bunWay,
  executableWay,
  globalWay,
  type Made,
  NODES,
  packageWays,
  serviceWay,
  type Way,
} from "./install/ways.ts";
import { repeatFailures, reportLine, reportOutput, seconds } from "./test/report.ts";
import { inWords, ONE_FAILED, ONE_PASSED, sum, type Tally } from "./test/tally.ts";

const USAGE = `npm run test:install -- [options]
  --quick           only npm and npx on this Node, and the executable
  --filter <text>   only ways whose name contains the text`;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    filter: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
const root = resolve(import.meta.dirname, "..");
const COLUMNS = ["install", ...STEPS, "remove"] as const;
type Column = (typeof COLUMNS)[number];
type Row = Partial<Record<Column, "ok" | "FAIL">>;

async function main(): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "li-"));
  try {
    const made = { cache: agentCache(process.env), tarball: await pack(folder), executable: join(folder, "liminal") };
    await buildExecutable(root, made.executable);
    const all = options.quick
      ? [...packageWays("this Node", made).slice(0, 1), globalWay(made), executableWay(made)]
      : [
          ...NODES.flatMap((node) => packageWays(node, made)),
          ...[globalWay(made), bunWay(made), executableWay(made)],
          ...services(made),
        ];
    const rows = new Map<string, Row>();
    for (const way of all.filter(({ name }) => name.includes(options.filter))) rows.set(way.name, await tryWay(way));
    printTable(rows);
    const cells = [...rows.values()].flatMap((row) => COLUMNS.map((column) => row[column] === "ok"));
    return sum(cells.map((isOk) => (isOk ? ONE_PASSED : ONE_FAILED)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Left out where no systemd of a user can be started. */
function services(made: Made): readonly Way[] {
  const reason = UserSystemd.reasonAgainst();
  if (reason === null) return [serviceWay(made)];
  reportLine("skip", "executable, as a service", `left out: ${reason}`);
  return [];
}

async function pack(folder: string): Promise<string> {
  const { code, output } = await runTool(["npm", "pack", "--loglevel=error", "--pack-destination", folder], {
    cwd: root,
    env: {},
  });
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  if (code !== 0 || tarball === undefined) throw new Error(`npm pack failed: ${output}`);
  return join(folder, tarball);
}

/** A failed step ends the way: later steps would fail for the same reason. */
async function tryWay(way: Way): Promise<Row> {
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "lw-"));
  const row: Row = {};
  let column: Column = "install";
  try {
    const command = await way.install(folder);
    row[column] = "ok";
    await using systemd = way.isService ? await UserSystemd.start(join(folder, "home")) : null;
    await walk(new Journey(command, folder, way.useClient(folder), systemd), (step) => {
      column = step;
      return () => {
        row[step] = "ok";
      };
    });
    column = "remove";
    await way.remove(folder);
    row[column] = "ok";
    reportLine("ok", way.name, seconds(startedAt));
  } catch (error) {
    row[column] = "FAIL";
    reportLine("FAIL", way.name, `${column}, ${seconds(startedAt)}`);
    reportOutput(error instanceof Error ? error.message : String(error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return row;
}

async function walk(started: Journey, begin: (step: Step) => () => void): Promise<void> {
  await using journey = started;
  for (const step of STEPS) {
    const succeed = begin(step);
    await journey.walk(step);
    succeed();
  }
}

function printTable(rows: ReadonlyMap<string, Row>): void {
  console.log(`\n| | ${COLUMNS.join(" | ")} |\n|---|${COLUMNS.map(() => "---|").join("")}`);
  for (const [name, row] of rows)
    console.log(`| ${name} | ${COLUMNS.map((column) => row[column] ?? "–").join(" | ")} |`);
  console.log("");
}

if (options.help) {
  console.log(USAGE);
} else {
  const total = await main();
  repeatFailures();
  console.log(inWords(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}
