import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { agentEnvironment } from "../agents/process/agent-environment.ts";
import { writePrivate } from "./data-dir.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface OpenPage {
  /** Contains the token. */
  readonly signInUrl: string;
  readonly dataDir: string;
  readonly env: Environment;
}

/**
 * Opens the page if there is a desktop; having none is not an error. Program arguments are visible to everyone on the
 * machine: the browser is given the path of a private file that contains the token.
 */
export function openBrowser({ signInUrl, dataDir, env }: OpenPage): {
  readonly file: string;
  readonly opened: boolean;
} {
  const file = join(dataDir, "open.html");
  writePrivate(file, signInFile(signInUrl));
  return { file, opened: start(browserCommand(env), pathToFileURL(file).href, env) };
}

function start(command: readonly string[] | null, address: string, env: Environment): boolean {
  if (!command) return false;
  const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  try {
    Bun.spawn([...command, address], { ...quiet, env: agentEnvironment(env), detached: true }).unref();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

function signInFile(url: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}"><title>Liminal Builder</title><p>Opening…</p></html>\n`;
}

/** The command that opens an address here; null without a desktop. */
function browserCommand(env: Environment): readonly string[] | null {
  switch (process.platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["cmd", "/c", "start", ""];
    default:
      return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : null;
  }
}
