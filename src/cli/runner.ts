import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { OWN_ENVIRONMENT, OWN_FILES, ownCommand } from "../operations/own-program.ts";
import { VERSION } from "../operations/version.ts";
import { CONTRACT_VERSIONS } from "../places/contract.ts";
import type { Joined, JoinedServers } from "../places/dial.ts";
import { type Fence, fenceProblem, readFence } from "../places/fence.ts";
import { type JoinLink, parseJoinLink } from "../places/join-links.ts";
import { PlaceError } from "../places/place-error.ts";
import { Runner } from "../places/runner.ts";
import type { CommandLine, Environment } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { printNote } from "./print.ts";

/** Serves a server: on stdio until that closes the connection, or by dialling in. What it started outlives it. */
export async function runner(line: CommandLine): Promise<ExitCode> {
  const { env } = line;
  if (line.text("join") !== undefined || line.has("dial")) return dialIn(line);
  if (line.args.length > 0)
    throw new CliError(EXIT.usage, "A place is named with --dial: liminal runner --dial <place>");
  const fence = await fenceOf(line);
  const home = env["HOME"] || homedir();
  const ended = Promise.withResolvers<void>();
  const served = new Runner({
    dir: dirOf(env),
    home,
    env,
    release: VERSION,
    versions: CONTRACT_VERSIONS,
    holder: ownCommand("agent-holder"),
    terminalHolder: ownCommand("terminal-holder"),
    builtin: ownCommand("builtin-agent"),
    toolRelay: { command: [...ownCommand("liminal", "mcp")], env: { ...OWN_ENVIRONMENT } },
    fence: fence && { rules: fence, programs: OWN_FILES },
    world: { now: Date.now, newId: () => randomUUID() },
    write: (bytes, done) => void process.stdout.write(bytes, () => done()),
    exit: ended.resolve,
  });
  // A closed terminal ends the connection, not this program's last writes.
  process.on("SIGHUP", ended.resolve);
  served.begin();
  const reader = Bun.stdin.stream().getReader();
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) served.receive(next.value);
  })();
  await Promise.race([reading, ended.promise]);
  process.exit(EXIT.done);
}

function dirOf(env: Environment): string {
  return env["LIMINAL_RUNNER_DIR"] || join(env["HOME"] || homedir(), ".liminal-runner");
}

/** Joins a server if it has a link, then serves it, or all that were joined, until they say that it is over. */
async function dialIn(line: CommandLine): Promise<ExitCode> {
  if (line.has("fence"))
    throw new CliError(
      EXIT.usage,
      "--fence is for a fence on the machine of the server; a machine that dials in has none.",
    );
  const { Dialler, JoinedServers, joinServer } = await import("../places/dial.ts");
  const servers = new JoinedServers(dirOf(line.env));
  try {
    const text = line.text("join");
    const chosen = text === undefined ? servers.find(line.args[0]) : [await joinServer(linkOf(text))];
    if (text !== undefined) for (const joined of chosen) welcome(servers, joined);
    const parts = { command: ownCommand("liminal", "runner"), env: line.env, nowMs: Date.now, tell: printNote };
    const over = await Promise.all(
      chosen.map(async (joined) => {
        const reason = await new Dialler(joined, parts).run();
        printNote(reason);
        return reason;
      }),
    );
    throw new PlaceError(over.at(-1) ?? "");
  } catch (error) {
    if (error instanceof PlaceError) throw new CliError(EXIT.failed, error.message, "PLACE_FAILED");
    throw error;
  }
}

function linkOf(text: string): JoinLink {
  const link = parseJoinLink(text);
  if (link === null)
    throw new CliError(EXIT.usage, "--join expects a link of liminal place link, which begins with liminal://");
  return link;
}

function welcome(servers: JoinedServers, joined: Joined): void {
  servers.keep(joined);
  const { place, host, port } = joined;
  printNote(`Joined ${host}:${port} as ${place}. From now on, this is enough: liminal runner --dial ${place}`);
}

/** Reported at once when nothing can be fenced, rather than with the first agent. */
async function fenceOf(line: CommandLine): Promise<Fence | null> {
  const text = line.text("fence");
  if (text === undefined) return null;
  const fence = readFence(text);
  if (fence === null) throw new CliError(EXIT.usage, "--fence expects the settings of a fence, as JSON");
  const problem = await fenceProblem(fence, line.env);
  if (problem !== null) throw new CliError(EXIT.failed, problem);
  return fence;
}
