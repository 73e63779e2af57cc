import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/** The whole new text or the whole old one, even when the power goes: readers never see a half. For its user alone. */
export function replaceFile(path: string, text: string): void {
  const aside = `${path}.new`;
  const file = openSync(aside, "w", 0o600);
  try {
    // Also one that was left there, open to others.
    fchmodSync(file, 0o600);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
}
