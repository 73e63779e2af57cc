import { realpathSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * Our programs that run as separate processes, each with its source. The executable contains all of them, and its first
 * argument selects one.
 */
export const ROLES = {
  liminal: { source: "src/cli/main.ts", isSmall: false },
  "builtin-agent": { source: "builtin-agent/main.ts", isSmall: false },
  "agent-holder": { source: "src/agents/holder/main.ts", isSmall: true },
  "terminal-holder": { source: "src/terminals/holder/main.ts", isSmall: true },
} as const;

type Role = keyof typeof ROLES;

/** Before the name of a role on the executable's command line; no command begins with it. */
export const ROLE_MARK = "@";

/** What the program reads at run time is below it: the page, and in a package or a checkout its own sources. */
export const PROGRAM_DIR = Bun.isStandaloneExecutable ? import.meta.dirname : join(import.meta.dirname, "../..");

/** The command line of one of our programs, wherever this one runs from. */
export function ownCommand(role: Role, ...words: readonly string[]): readonly string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath, `${ROLE_MARK}${role}`, ...words];
  const { source, isSmall } = ROLES[role];
  // It may start in a directory of another owner, so neither its .env nor its bunfig.toml applies.
  const ignoreTheFolder = ["--no-env-file", "--no-install", `--config=${join(PROGRAM_DIR, "bin/bunfig.toml")}`];
  return [process.execPath, ...(isSmall ? ["--smol"] : []), ...ignoreTheFolder, join(PROGRAM_DIR, source), ...words];
}

/** The files our programs need to run: their sources, and packages beside them. */
export const OWN_FILES: readonly string[] = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, realpathSync(process.execPath), PROGRAM_DIR, packagesOf(realpathSync(PROGRAM_DIR))];

/** The outermost directory of packages that this one is installed in; itself if it is not. */
function packagesOf(directory: string): string {
  const [before, ...after] = directory.split(`${sep}node_modules${sep}`);
  return after.length === 0 ? directory : join(before ?? "", "node_modules");
}

/** The variable that makes the executable behave as the Bun it contains. */
const AS_BUN = "BUN_BE_BUN";

/** Bun itself, for programs that are not ours. */
export const BUN_COMMAND: readonly string[] = Bun.isStandaloneExecutable
  ? ["/usr/bin/env", `${AS_BUN}=1`, process.execPath]
  : [process.execPath];

/**
 * For our programs that are started by others: one that runs on our Bun would pass on the variable that makes it Bun.
 */
export const OWN_ENVIRONMENT: Readonly<Record<string, string>> = Bun.isStandaloneExecutable ? { [AS_BUN]: "0" } : {};
