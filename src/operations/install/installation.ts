import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { z } from "zod";
import { parseJson } from "../../lib/parse-json.ts";
import { PROGRAM_DIR } from "../own-program.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The names under which a package offers the program. */
const COMMAND_NAMES = ["liminal", "liminal-builder"];
const STATE_FILE = "installed.json";

/** How this program was installed, which decides who may change its files. */
export type InstallKind = "executable" | "package" | "checkout";

export function installKind(): InstallKind {
  if (Bun.isStandaloneExecutable) return "executable";
  return PROGRAM_DIR.includes(`${sep}node_modules${sep}`) ? "package" : "checkout";
}

/** The file that starts this program. */
export function ownProgram(): string {
  return Bun.isStandaloneExecutable ? process.execPath : join(PROGRAM_DIR, "bin/liminal");
}

/** The commands on PATH that start this program. */
export function ownCommands(env: Environment): readonly string[] {
  const folders = [...new Set((env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""))];
  const own = realpathSync(ownProgram());
  return folders
    .flatMap((folder) => COMMAND_NAMES.map((name) => join(folder, name)))
    .filter((path) => startsAt(path, own));
}

function startsAt(path: string, program: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
  try {
    return realpathSync(path) === program;
  } catch {
    return false; // a dangling link
  }
}

/** The versions that updates have installed. */
const Updates = z.object({
  /** Links that an update switches. */
  commands: z.array(z.string()),
  /** What they start now, and what they started before. */
  program: z.string(),
  previous: z.string().nullable(),
  /** What they started before the first update; null if that was the command itself, which is among the versions now. */
  first: z.string().nullable(),
});
export type Updates = z.infer<typeof Updates>;

/** The folder of the versions that updates fetch; nothing else is in it. */
export function versionsFolder(env: Environment): string {
  const home = env["HOME"] || homedir();
  return join(env["XDG_DATA_HOME"] || join(home, ".local/share"), "liminal-builder", "versions");
}

export function stateFile(env: Environment): string {
  return join(versionsFolder(env), STATE_FILE);
}

/** Null before the first update. */
export function readUpdates(env: Environment): Updates | null {
  try {
    return Updates.safeParse(parseJson(readFileSync(stateFile(env), "utf8"))).data ?? null;
  } catch {
    return null; // there has been none
  }
}
