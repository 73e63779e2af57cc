import { readConfig } from "../server/config.ts";
import { explainStartFailure } from "../server/explain-start-failure.ts";
import { stderrLogger } from "../server/logger.ts";
import { openBrowser } from "../server/open-browser.ts";
import { type RunningServer, startServer } from "../server/start-server.ts";

/** Runs the server until it is told to stop. Exit codes: 0 clean, 1 with a line that says what is wrong. */
export async function serve(args: readonly string[]): Promise<void> {
  const logger = stderrLogger(Date.now);
  try {
    const config = readConfig(process.env, args);
    const server = startServer(config, logger);
    const { url, port, dataDir } = server;
    const line = config.json
      ? JSON.stringify({ url, port, pid: process.pid, dataDir })
      : `Liminal Builder is running: ${url}`;
    process.stdout.write(`${line}\n`);
    if (config.openBrowser) openBrowser(url, config.env, logger);
    await stopSignal();
    await stopCleanly(server);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${explainStartFailure(error)}\n`);
    process.exit(1);
  }
}

/** Resolves with the first signal; later ones change nothing, the stop is already under way. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

async function stopCleanly(server: RunningServer): Promise<void> {
  process.stderr.write("Stopping: agents are being closed.\n");
  await server.stop();
}
