import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Where the holders of a data directory's agents have their sockets and journals. */
export function heldDirOf(dataDir: string): string {
  return join(dataDir, "held");
}

/** How many agents are held, or have left something that no server has read yet. */
export function countHeld(dataDir: string): number {
  const dir = heldDirOf(dataDir);
  return existsSync(dir) ? readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length : 0;
}
