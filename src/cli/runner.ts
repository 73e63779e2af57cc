import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { OWN_ENVIRONMENT, OWN_FILES, ownCommand } from "../operations/own-program.ts";
import { VERSION } from "../operations/version.ts";
import { CONTRACT_VERSIONS } from "../places/contract.ts";
import { type Fence, fenceProblem, readFence } from "../places/fence.ts";
import { Runner } from "../places/runner.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";

/** Serves a server on stdio until that closes the connection. What it started outlives it. */
export async function runner(line: CommandLine): Promise<ExitCode> {
  const { env } = line;
  const fence = await fenceOf(line);
  const home = env["HOME"] || homedir();
  const ended = Promise.withResolvers<void>();
  const served = new Runner({
    dir: env["LIMINAL_RUNNER_DIR"] || join(home, ".liminal-runner"),
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
