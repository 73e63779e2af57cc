import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type ListeningProgram, spawnListening } from "./spawn-listening.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The `cliType` of the agent that stamps its output with the time. */
export const STAMPING_AGENT = "stamping";
export const STAMPING_AGENT_COMMAND = [
  process.execPath,
  fileURLToPath(new URL("../programs/stamping-agent.ts", import.meta.url)),
] as const;

const Announcement = z.object({ url: z.url(), port: z.int(), pid: z.int(), dataDir: z.string() });

/** The real server, as a user starts it. */
export interface BenchServer extends ListeningProgram {
  /** Signs a browser in. */
  readonly url: string;
  readonly socketUrl: string;
  readonly dataDir: string;
}

interface BenchAgent {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The built-in agent once more, as a process of its own. */
export function anotherGuide(name: string, root: string = ROOT): BenchAgent {
  return { name, command: process.execPath, args: [join(root, "builtin-agent/main.ts")] };
}

/** Starts the server on a data directory; started on the same one again, it takes the same port. */
export async function startServer(
  dataDir: string,
  moreAgents: Readonly<Record<string, BenchAgent>> = {},
  root: string = ROOT,
  /** A program of the bench that the server loads before its own. */
  preload: { readonly path: string; readonly env: Readonly<Record<string, string>> } | null = null,
  places: object = {},
): Promise<BenchServer> {
  const [command, ...args] = STAMPING_AGENT_COMMAND;
  const agents = { [STAMPING_AGENT]: { name: "Stamping agent", command, args }, ...moreAgents };
  writeFileSync(join(dataDir, "config.json"), JSON.stringify({ agents, places }));
  const program = await spawnListening({
    command: [
      ...[process.execPath, ...(preload === null ? [] : ["--preload", preload.path])],
      ...[join(root, "src/cli/main.ts"), "serve", "--json"],
    ],
    env: { HOME: dataDir, LIMINAL_DATA_DIR: dataDir, LIMINAL_PORT: "0", LIMINAL_NO_OPEN: "1", ...preload?.env },
    logFile: join(dataDir, "stderr.log"),
  });
  const { url } = Announcement.parse(program.announced);
  const token = new URL(url).searchParams.get("token") ?? "";
  return { ...program, url, dataDir, socketUrl: `ws://127.0.0.1:${program.port}/ws?token=${token}` };
}
