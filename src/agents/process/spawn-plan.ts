import { readFileSync, statSync } from "node:fs";
import { win32 } from "node:path";

/** What spawning needs to know of the machine. */
export interface SpawnHost {
  readonly platform: NodeJS.Platform;
  readonly isFile: (path: string) => boolean;
  readonly read: (path: string) => string;
}

export interface SpawnPlan {
  readonly command: readonly string[];
  /** The last word is a command line of its own, quoted already. */
  readonly verbatim: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const EXTENSIONS_DEFAULT = ".COM;.EXE;.BAT;.CMD";
/** How a script stands in the shims that npm, pnpm and yarn write. */
const SHIM_SCRIPT = /"%(?:~dp0|dp0%)\\?([^"%]+\.[cm]?js)"/i;

/**
 * What is really started for a command. Windows runs no `.cmd` or `.bat` by itself, and npm makes one of every agent:
 * the script behind it is started with Node, so that no shell stands between us and the process; where there is none,
 * `cmd.exe` runs the file with every word quoted for it.
 */
export function spawnPlan(command: readonly string[], env: Env, host: SpawnHost = THIS_HOST): SpawnPlan {
  const [name = "", ...args] = command;
  const file = host.platform === "win32" ? findProgram(name, env, host) : null;
  if (file === null || !/\.(?:cmd|bat)$/i.test(file)) return { command: [file ?? name, ...args], verbatim: false };
  const script = SHIM_SCRIPT.exec(host.read(file))?.[1];
  if (script !== undefined) {
    const folder = win32.dirname(file);
    const besides = win32.join(folder, "node.exe");
    const node = host.isFile(besides) ? besides : (findProgram("node", env, host) ?? "node");
    return { command: [node, win32.join(folder, script), ...args], verbatim: false };
  }
  const line = [file, ...args].map(quoteForCmd).join(" ");
  return { command: [variable(env, "ComSpec") ?? "cmd.exe", "/d", "/s", "/c", `"${line}"`], verbatim: true };
}

/** The first file that the name means, in the order in which Windows looks; null when there is none. */
function findProgram(name: string, env: Env, { isFile }: SpawnHost): string | null {
  const extensions = (variable(env, "PATHEXT") ?? EXTENSIONS_DEFAULT).split(";").filter(Boolean);
  const isWhole = extensions.some((extension) => name.toLowerCase().endsWith(extension.toLowerCase()));
  const names = isWhole ? [name] : extensions.map((extension) => name + extension.toLowerCase());
  const folders = /[\\/]/.test(name) ? [""] : (variable(env, "PATH") ?? "").split(";").filter(Boolean);
  const files = folders.flatMap((folder) => names.map((one) => (folder === "" ? one : win32.join(folder, one))));
  return files.find(isFile) ?? null;
}

/** Names of variables have no case there. */
function variable(env: Env, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** First for the program that reads the word, then for `cmd.exe`, which reads the line before it. */
function quoteForCmd(word: string): string {
  const quoted = word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1");
  return `"${quoted}"`.replace(/[()[\]%!^"`<>&|;, *?]/g, "^$&");
}

const THIS_HOST: SpawnHost = {
  platform: process.platform,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  read: (path) => readFileSync(path, "utf8"),
};
