import { ignore } from "../lib/ignore.ts";
import { readConfig, SECRET_VARIABLES } from "../operations/config.ts";
import { reportCrashes } from "../operations/crash-reports.ts";
import { explainStartFailure } from "../operations/explain-start-failure.ts";
import { openBrowser } from "../operations/open-browser.ts";
import { ServerLog } from "../operations/server-log.ts";
import type { startReplica } from "../server/start-replica.ts";
import { type RunningServer, startServer } from "../server/start-server.ts";
import type { CommandLine } from "./command-line.ts";
import { beQuiet, printError, printNote } from "./print.ts";

/** Runs the server until it is stopped. Exit codes: 0 clean, 1 with an error message. */
export async function serve({ words: args }: CommandLine): Promise<undefined> {
  try {
    const config = readConfig(takeSecrets(process.env), args);
    if (config.quiet) beQuiet();
    // A closed terminal, or a full disk behind it, is no reason to end.
    process.stderr.on("error", ignore("there is nowhere else to report it"));
    const logger = new ServerLog({
      now: Date.now,
      level: config.logLevel,
      print: (line, level) => {
        if (!config.quiet || level === "error") process.stderr.write(line);
      },
    });
    reportCrashes(config.dataDir, logger);
    // Before anything of an earlier run is resumed: dying of a signal would leave it running.
    const stopping = stopSignal();
    const server = await (config.replicaHost === null ? startServer(config, logger) : startAsReplica(config, logger));
    const { url, port, dataDir, fingerprint } = server;
    const line = config.json
      ? JSON.stringify({ url, port, pid: process.pid, dataDir, ...(fingerprint !== null && { fingerprint }) })
      : `Liminal Builder is running: ${url}`;
    process.stdout.write(`${line}\n`);
    if (config.openBrowser) openBrowser({ signInUrl: url, dataDir, env: config.env });
    const signal = await Promise.race([stopping, server.lost]);
    await (signal === "SIGUSR2" || config.replicaHost !== null ? detach(server) : stopCleanly(server));
    process.exit(0);
  } catch (error) {
    printError(explainStartFailure(error));
    process.exit(1);
  }
}

/** Loaded only where it is used. */
async function startAsReplica(...args: Parameters<typeof startReplica>): ReturnType<typeof startReplica> {
  const { startReplica: start } = await import("../server/start-replica.ts");
  return await start(...args);
}

/** Moves our secrets out of the environment, so that child processes such as Git do not inherit them. */
function takeSecrets(environment: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  const whole = { ...environment };
  for (const name of SECRET_VARIABLES) delete environment[name];
  return whole;
}

const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const;

/** Resolves with the first signal, which a starting server obeys as soon as it has started; later ones are ignored. */
function stopSignal(): Promise<(typeof END_SIGNALS)[number]> {
  return new Promise((resolve) => {
    for (const signal of END_SIGNALS) process.on(signal, () => resolve(signal));
  });
}

/** For a restart, after an update for example: the next server continues the agents. */
async function detach(server: RunningServer): Promise<void> {
  if (!server.holdsAgents) return stopCleanly(server);
  printNote("Stopping. Agents keep running for the next start.");
  await server.detach();
}

async function stopCleanly(server: RunningServer): Promise<void> {
  printNote("Stopping. Closing agents.");
  await server.stop();
}
