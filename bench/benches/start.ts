import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { alternate } from "../measure/alternate.ts";
import type { Bench } from "../measure/bench.ts";
import { median } from "../measure/percentile.ts";
import { cpuMs, idleMemoryOf } from "../measure/process-cost.ts";
import { type ListeningProgram, spawnListening } from "../scene/spawn-listening.ts";
import { ROOT, startServer } from "../scene/start-server.ts";

const ROUNDS = 5;
const ROUNDS_QUICK = 1;
const COLD_START_MS_TARGET = 1_500;
const START_CPU_MS_TARGET = 500;
const IDLE_PSS_MB_TARGET = 70;
/** Against another checkout. */
const AGAINST_TARGET = 1.05;
const COMPARED = [
  ["CPU to the first page", "ms", "cpuMs"],
  ["idle memory (PSS)", "MB", "pssMb"],
  ["idle memory (RSS)", "MB", "rssMb"],
] as const;
const BARE_SERVER_COMMAND = [process.execPath, fileURLToPath(new URL("../programs/bare-server.ts", import.meta.url))];

const Manifest = z.object({ assets: z.record(z.string(), z.object({ file: z.string() })) });

export interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly pssMb: number;
  readonly rssMb: number;
}

/** NFR-1: the cost until the page is shown, and the memory of an idle server. */
export const start: Bench = {
  name: "start",
  asks: "CPU and time until the first page is served, and idle memory, against a bare Bun.serve",
  async run({ quick, against, report }) {
    const n = quick ? ROUNDS_QUICK : ROUNDS;
    if (against !== undefined) {
      const start = (root: string) => () =>
        startOnce(
          (dir) => startServer(dir(), {}, root),
          (port, announced) => fetchPage(port, announced, root),
        );
      const { ours, bare } = await alternate(n, { bare: start(against), ours: start(ROOT) });
      for (const [metric, unit, of] of COMPARED)
        report({
          metric: `${metric}, against the other checkout`,
          unit,
          value: median(ours.map((one) => one[of])),
          baseline: median(bare.map((one) => one[of])),
          ratioTarget: AGAINST_TARGET,
          n,
        });
      return;
    }
    const { ours, bare } = await alternate(n, {
      bare: () => startOnce((dir) => spawnListening({ command: BARE_SERVER_COMMAND, logFile: dir("log") }), fetchBare),
      ours: () => startOnce((dir) => startServer(dir()), fetchPage),
    });
    const middle = (starts: readonly Start[], of: keyof Start) => median(starts.map((one) => one[of]));
    const compare = (of: keyof Start) => ({ value: middle(ours, of), baseline: middle(bare, of), n });
    report({ metric: "time to the first page", unit: "ms", ...compare("wallMs"), target: COLD_START_MS_TARGET });
    report({ metric: "CPU to the first page", unit: "ms", ...compare("cpuMs"), target: START_CPU_MS_TARGET });
    report({ metric: "idle memory (PSS)", unit: "MB", ...compare("pssMb"), target: IDLE_PSS_MB_TARGET });
    report({ metric: "idle memory (RSS)", unit: "MB", ...compare("rssMb") });
  },
};

/** Starts it in a new directory, measures it, and ends it. */
export async function startOnce(
  spawn: (dir: (...parts: string[]) => string) => Promise<ListeningProgram>,
  fetchFirst: (port: number, announced: unknown) => Promise<() => Promise<void>>,
): Promise<Start> {
  await using dir = await tempDir();
  const from = performance.now();
  await using program = await spawn(dir.join);
  const fetchRest = await fetchFirst(program.port, program.announced);
  const wallMs = performance.now() - from;
  const cpu = cpuMs(program.pid);
  await fetchRest();
  return { wallMs, cpuMs: cpu, ...(await idleMemoryOf(program.pid)) };
}

async function fetchBare(port: number): Promise<() => Promise<void>> {
  await expectOk(`http://127.0.0.1:${port}/`);
  return async () => expectOk(`http://127.0.0.1:${port}/asset`);
}

/** As a browser signs in: the token is exchanged for a cookie, and the page comes with that. */
export async function fetchPage(port: number, announced: unknown, root = ROOT): Promise<() => Promise<void>> {
  const { url } = z.object({ url: z.url() }).parse(announced);
  const signIn = await fetch(url, { redirect: "manual" });
  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const own = (path: string) => expectOk(`http://127.0.0.1:${port}${path}`, { cookie });
  await own("/");
  return async () => {
    await own("/portlet");
    const { assets } = Manifest.parse(await Bun.file(join(root, "dist/manifest.json")).json());
    for (const { file } of Object.values(assets)) await own(`/assets/${file.replace(/^assets\//, "")}`);
  };
}

async function expectOk(url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
}
