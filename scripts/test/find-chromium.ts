import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const USUAL_FOLDERS = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
const USUAL_FILES = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser for tests: `CHROMIUM_PATH` alone when it is set, else the first Chromium or Chrome found. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const chosen = env["CHROMIUM_PATH"];
  if (chosen) return isExecutable(chosen) ? chosen : undefined;
  const folders = [...(env["PATH"] ?? "").split(delimiter).filter(isAbsolute), ...USUAL_FOLDERS];
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...USUAL_FILES].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // absent, or not ours to run
  }
}
