import { ConfigError, readConfig } from "../server/config.ts";
import { AlreadyRunningError } from "../server/instance-lock.ts";
import { stderrLogger } from "../server/logger.ts";
import { openBrowser } from "../server/open-browser.ts";
import { type RunningServer, startServer } from "../server/start-server.ts";
import { NewerDatabaseError } from "../store/open-database.ts";

/** Runs the server until it is told to stop. Exit codes: 0 clean, 1 with a line that says what is wrong. */
export async function serve(args: readonly string[]): Promise<void> {
  const logger = stderrLogger(Date.now);
  try {
    const config = readConfig(process.env, args);
    const server = await startServer(config, logger);
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
    process.stderr.write(`${explain(error)}\n`);
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

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof AlreadyRunningError || error instanceof NewerDatabaseError)
    return error.message;
  if (error instanceof Error && Reflect.get(error, "code") === "EADDRINUSE")
    return `The port is in use. Stop what uses it, or choose another: LIMINAL_PORT=3001 npm start (LIMINAL_PORT=0 takes any free one).`;
  if (error instanceof Error && Reflect.get(error, "code") === "EACCES")
    return `No permission: ${error.message}. Check LIMINAL_DATA_DIR and LIMINAL_PORT.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
