import { join } from "node:path";

/** Where the server writes down what it does: one JSON object per line; full ones have a number behind their name. */
export function logFileOf(dataDir: string): string {
  return join(dataDir, "logs", "server.jsonl");
}
