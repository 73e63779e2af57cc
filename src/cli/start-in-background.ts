import { closeSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pageIsCurrent } from "../../bin/page-sources.mjs";
import { IGNORE_THE_FOLDER, PACKAGE_ROOT } from "../../bin/run-bun.mjs";
import type { Environment } from "./command-line.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { tell } from "./print.ts";
import { dataDirOf, RunningServer, SilentServerError, serverOfAnother } from "./running-server.ts";

const LOG_NAME = "server.log";

/** Starts a server that outlives this command, and says so. Resolves when it answers. */
export async function startInBackground(env: Environment): Promise<RunningServer> {
  const dataDir = dataDirOf(env);
  tell("No server is running. Starting one in the background…");
  const logPath = join(dataDir, LOG_NAME);
  const log = openLog(dataDir, logPath);
  const logStart = statSync(logPath).size;
  const surroundings = { cwd: dataDir, env: { ...env, LIMINAL_NO_OPEN: "1" }, stdin: "ignore", stderr: log } as const;
  const bun = (...words: string[]) => [process.execPath, ...IGNORE_THE_FOLDER, ...words];
  if (!pageIsCurrent(PACKAGE_ROOT)) {
    tell("Building the page…");
    const build = bun(join(PACKAGE_ROOT, "scripts", "build-page.ts"));
    const code = await Bun.spawn(build, { ...surroundings, stdout: log }).exited;
    if (code !== 0) tell(`Could not build the page. Commands work without it. Details: ${logPath}`);
  }
  // Nobody chose a port: another program on the usual one is no reason to fail.
  const freePort = env["LIMINAL_PORT"] ? [] : ["--free-port"];
  const serve = bun(join(PACKAGE_ROOT, "src", "cli", "main.ts"), "serve", "--json", ...freePort);
  const child = Bun.spawn(serve, { ...surroundings, stdout: "pipe", detached: true });
  closeSync(log);
  // Its one line has the token in it: only that it came is of interest, and it is not repeated anywhere.
  if (!(await saidSomething(child.stdout))) {
    await child.exited;
    const why = readFileSync(logPath).subarray(logStart).toString("utf8").trim();
    const other = await serverOfAnother(dataDir, () => runningServer(env));
    if (other) return other;
    throw new CliError(EXIT.noServer, `Could not start the server. ${why}`, "NO_SERVER");
  }
  child.unref();
  const server = new RunningServer(env);
  tell(
    `Liminal Builder is running in the background: ${server.origin} (process ${server.pid}). Stop it with: liminal stop`,
  );
  return server;
}

/** The one that answers; null when there is none, or only the note of one that is gone. One that is silent may just be starting. */
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

async function saidSomething(stream: ReadableStream<Uint8Array>): Promise<boolean> {
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
