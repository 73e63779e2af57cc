import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writePrivate } from "../server/data-dir.ts";
import { browserCommand } from "../server/open-browser.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";
import { connect } from "./server-link.ts";

/**
 * Shows the page. What a program gets as an argument, everyone on the machine can read: the browser is given the path
 * of a file that only this user can read, and that file has the token.
 */
export async function open(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const { origin, signInUrl } = link.server;
  const file = join(dataDirOf(line.env), "open.html");
  writePrivate(file, signInFile(signInUrl));
  const opened = startBrowser(line, pathToFileURL(file).href);
  const text = opened
    ? `Opened ${origin}`
    : `There is no desktop to open a browser on. The page is at ${origin}\nA browser of this machine is signed in by the file ${file}`;
  print(line, { url: origin, opened }, text);
  return EXIT.done;
}

function startBrowser(line: CommandLine, address: string): boolean {
  const command = browserCommand(line.env);
  if (!command) return false;
  const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  try {
    Bun.spawn([...command, address], { ...quiet, env: { ...line.env }, detached: true }).unref();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

function signInFile(url: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}"><title>Liminal Builder</title><p>Opening …</p></html>\n`;
}
