import { closeSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pageIsCurrent } from "../../bin/page-sources.mjs";
import { ownCommand, PROGRAM_DIR } from "../operations/own-program.ts";
import type { Environment } from "./command-line.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { printNote } from "./print.ts";
import { dataDirOf, RunningServer, SilentServerError, serverOfAnother } from "./running-server.ts";

const LOG_NAME = "server.log";

/** Starts a server that outlives this command, with a note. Resolves when it answers. */
export async function startInBackground(env: Environment): Promise<RunningServer> {
  const dataDir = dataDirOf(env);
  printNote("No server is running. Starting one in the background…");
  const logPath = join(dataDir, LOG_NAME);
  const log = openLog(dataDir, logPath);
  const logStart = statSync(logPath).size;
  const surroundings = { cwd: dataDir, env: { ...env, LIMINAL_NO_OPEN: "1" }, stdin: "ignore", stderr: log } as const;
  if (!Bun.isStandaloneExecutable && !pageIsCurrent(PROGRAM_DIR)) {
    printNote("Building the page…");
    const build = [process.execPath, "--no-env-file", "--no-install", join(PROGRAM_DIR, "scripts/build-page.ts")];
    const code = await Bun.spawn(build, { ...surroundings, stdout: log }).exited;
    if (code !== 0) printNote(`Could not build the page. Commands work without it. Details: ${logPath}`);
  }
  // No port was chosen: another program on the default one is no reason to fail.
  const freePort = env["LIMINAL_PORT"] ? [] : ["--free-port"];
  const serve = ownCommand("liminal", "serve", "--json", ...freePort);
  const child = Bun.spawn([...serve], { ...surroundings, stdout: "pipe", detached: true });
  closeSync(log);
  // Its one line contains the token: only its arrival matters, and it is never repeated.
  if (!(await hasOutput(child.stdout))) {
    await child.exited;
    const why = readFileSync(logPath).subarray(logStart).toString("utf8").trim();
    const other = await serverOfAnother(dataDir, () => runningServer(env));
    if (other) return other;
    throw new CliError(EXIT.noServer, `Could not start the server. ${why}`, "NO_SERVER");
  }
  child.unref();
  const server = new RunningServer(env);
  printNote(
    `Liminal Builder is running in the background: ${server.origin} (process ${server.pid}). Stop it with: liminal stop`,
  );
  return server;
}

/** The server that answers; null if there is none, or only the note of an ended one. A silent one may just be starting. */
export async function runningServer(
  env: Environment,
  whenSilent: "none" | "fail" = "none",
): Promise<RunningServer | null> {
  try {
    const server = new RunningServer(env);
    return (await server.isReady()) ? server : null;
  } catch (error) {
    if (error instanceof SilentServerError && whenSilent === "fail") throw error;
    if (error instanceof CliError && error.exitCode === EXIT.noServer) return null;
    throw error;
  }
}

function openLog(dataDir: string, path: string): number {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return openSync(path, "a", 0o600);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const words = `Cannot use ${dataDir} (${why}). Check LIMINAL_DATA_DIR, or run: liminal doctor`;
    throw new CliError(EXIT.noServer, words, "NO_SERVER");
  }
}

async function hasOutput(stream: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) return false;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return true;
}
