import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/**
 * Replaces a file atomically, even across a power loss: readers see the old or the new text. Only its owner can read
 * it.
 */
export function replaceFile(path: string, text: string): void {
  const aside = `${path}.new`;
  const file = openSync(aside, "w", 0o600);
  try {
    // Also for an existing file that was readable to others.
    fchmodSync(file, 0o600);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
}
