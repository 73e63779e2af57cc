import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** The whole new text or the whole old one, even when the power goes: readers never see a half. */
export function replaceFile(path: string, text: string): void {
  const aside = `${path}.new`;
  const file = openSync(aside, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
}
