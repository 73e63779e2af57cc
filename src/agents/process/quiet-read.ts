import { readFileSync } from "node:fs";

/** A file that may be gone, or another's, by the time it is read. */
export function quietRead(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
