import { ignore } from "../lib/ignore.ts";
import { readConfig, SECRET_VARIABLES } from "../operations/config.ts";
import { reportCrashes } from "../operations/crash-reports.ts";
import { explainStartFailure } from "../operations/explain-start-failure.ts";
import { openBrowser } from "../operations/open-browser.ts";
import { ServerLog } from "../operations/server-log.ts";
import { type RunningServer, startServer } from "../server/start-server.ts";
import type { CommandLine } from "./command-line.ts";
import { beQuiet, tell, tellFailure } from "./print.ts";

/** Runs the server until it is told to stop. Exit codes: 0 clean, 1 with a line that says what is wrong. */
export async function serve({ words: args }: CommandLine): Promise<undefined> {
  try {
    const config = readConfig(takeSecrets(process.env), args);
    if (config.quiet) beQuiet();
    // A terminal that is gone, or a full disk behind it, is no reason to end.
    process.stderr.on("error", ignore("there is nowhere else to report it"));
    const logger = new ServerLog({
      now: Date.now,
      level: config.logLevel,
      print: (line, level) => {
        if (!config.quiet || level === "error") process.stderr.write(line);
      },
    });
    reportCrashes(config.dataDir, logger);
    // Before anything of an earlier run is taken over: to die of a signal would leave it running.
    const stopping = stopSignal();
    const server = await startServer(config, logger);
    const { url, port, dataDir, fingerprint } = server;
    const line = config.json
      ? JSON.stringify({ url, port, pid: process.pid, dataDir, ...(fingerprint !== null && { fingerprint }) })
      : `Liminal Builder is running: ${url}`;
    process.stdout.write(`${line}\n`);
    if (config.openBrowser) openBrowser({ signInUrl: url, dataDir, env: config.env });
    await ((await stopping) === "SIGUSR2" ? detach(server) : stopCleanly(server));
    process.exit(0);
  } catch (error) {
    tellFailure(explainStartFailure(error));
    process.exit(1);
  }
}

/** All of it for us; what we start without a word about its environment, as Git, finds no secret there. */
function takeSecrets(environment: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  const whole = { ...environment };
  for (const name of SECRET_VARIABLES) delete environment[name];
  return whole;
}

const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const;

/** Resolves with the first signal, which one that is still starting obeys as soon as it has; later ones change nothing. */
function stopSignal(): Promise<(typeof END_SIGNALS)[number]> {
  return new Promise((resolve) => {
    for (const signal of END_SIGNALS) process.on(signal, () => resolve(signal));
  });
}

/** For a restart, after an update for example: the next server goes on with the agents. */
async function detach(server: RunningServer): Promise<void> {
  if (!server.holdsAgents) return stopCleanly(server);
  tell("Stopping. Agents keep running for the next start.");
  await server.detach();
}

async function stopCleanly(server: RunningServer): Promise<void> {
  tell("Stopping. Closing agents.");
  await server.stop();
}
