import type { StorageFault } from "../protocol/storage.ts";
import { NoCopyError } from "../store/database/copy-before-migration.ts";
import { NewerDatabaseError } from "../store/database/open-database.ts";
import { storageFaultOf } from "../store/database/storage-watch.ts";
import { ConfigError } from "./config.ts";
import { AlreadyRunningError } from "./instance-lock.ts";

const EXPLAINED = [ConfigError, AlreadyRunningError, NewerDatabaseError, NoCopyError];

const FAULT_WORDS: Readonly<Record<StorageFault, string>> = {
  "disk-full": "The disk is full. Free some space, or set LIMINAL_DATA_DIR to a directory on another disk",
  "read-only": "The data directory is read-only. Make it writable, or set LIMINAL_DATA_DIR to another one",
  "disk-error": "The disk of the data directory cannot be used. Check it, or set LIMINAL_DATA_DIR to another directory",
  "in-use": "Another program has locked the database. Close it, or set LIMINAL_DATA_DIR to another directory",
};

/** Why the server did not start and what to do; a stack only for our own bugs. */
export function explainStartFailure(error: unknown): string {
  if (error instanceof Error && EXPLAINED.some((kind) => error instanceof kind)) return error.message;
  const fault = storageFaultOf(error);
  if (fault !== null && error instanceof Error)
    return `${FAULT_WORDS[fault]} (${error.message}), then restart. Nothing was changed.`;
  switch (error instanceof Error ? Reflect.get(error, "code") : undefined) {
    case "EADDRINUSE":
      return "The port is in use. Stop the program that uses it, or choose another port: LIMINAL_PORT=3001 npm start (0 uses any free port).";
    case "EISDIR":
      return `Found a directory instead of a file (${error instanceof Error ? error.message : error}). Move it, or set LIMINAL_DATA_DIR to another directory, then restart. Nothing was changed.`;
    case "EACCES":
    case "EPERM":
      return `Permission denied (${error instanceof Error ? error.message : error}). Check LIMINAL_DATA_DIR and LIMINAL_PORT.`;
    default:
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
