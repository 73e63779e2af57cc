import { join } from "node:path";
import { PROGRAM, ROOT, type TestServer } from "../support/test-server.ts";

/** What users call; the executable where the tests run against that. */
export const BINARY = /\.[jt]s$/.test(PROGRAM) ? join(ROOT, "bin/liminal") : PROGRAM;
/** Each command is a process, on a machine that does other things too. */
export const COMMANDS_TIMEOUT_MS = 120_000;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly stdin?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment of a user whose data directory is that of the test. */
export function environmentOf(server: TestServer): Record<string, string> {
  const marker = process.env["LIMINAL_TEST_RUN"];
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: server.home,
    SHELL: "/bin/sh",
    LIMINAL_DATA_DIR: server.dataDir,
    LIMINAL_PORT: "0",
    LIMINAL_NO_OPEN: "1",
    LIMINAL_REGISTRY_URL: "off",
    ...(marker !== undefined && { LIMINAL_TEST_RUN: marker }),
    ...server.processes.env,
  };
}

/** Starts the real binary, as a shell would. */
export function startLiminal(server: TestServer, args: readonly string[], { stdin, cwd, env }: Surroundings = {}) {
  return Bun.spawn([BINARY, ...args], {
    cwd: cwd ?? server.home,
    env: { ...environmentOf(server), ...env },
    stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs it to its end. */
export async function liminal(
  server: TestServer,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Ended> {
  const child = startLiminal(server, args, surroundings);
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

/** Runs it with `--json` and reads what it printed. */
export async function liminalJson(server: TestServer, args: readonly string[], surroundings: Surroundings = {}) {
  const { code, stdout, stderr } = await liminal(server, [...args, "--json"], surroundings);
  if (stdout === "") throw new Error(`nothing was printed, exit code ${code}: ${stderr}`);
  return { code, stderr, value: JSON.parse(stdout) };
}
