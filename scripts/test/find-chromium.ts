import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The shell comes first: the same engine without the browser's own windows, at a third of the CPU per page. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
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
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...USUAL_FILES].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // absent, or not executable for us
  }
}
