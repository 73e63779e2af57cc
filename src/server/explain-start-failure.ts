import { NewerDatabaseError } from "../store/open-database.ts";
import { ConfigError } from "./config.ts";
import { AlreadyRunningError } from "./instance-lock.ts";

/** Why the server did not start, in words that say what to do; a stack only for what is our own fault. */
export function explainStartFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof AlreadyRunningError || error instanceof NewerDatabaseError)
    return error.message;
  switch (error instanceof Error ? Reflect.get(error, "code") : undefined) {
    case "EADDRINUSE":
      return "The port is in use. Stop what uses it, or choose another: LIMINAL_PORT=3001 npm start (0 takes any free one).";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `No permission (${error instanceof Error ? error.message : error}). Check LIMINAL_DATA_DIR and LIMINAL_PORT.`;
    default:
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
