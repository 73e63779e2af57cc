import { openBrowser } from "../server/open-browser.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { print } from "./print.ts";
import { dataDirOf } from "./running-server.ts";
import { connect } from "./server-link.ts";

/** Shows the page, signed in. */
export async function open(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const { origin, signInUrl } = link.server;
  const { file, opened } = openBrowser({ signInUrl, dataDir: dataDirOf(line.env), env: line.env });
  const text = opened
    ? `Opened ${origin}`
    : `There is no desktop to open a browser on. The page is at ${origin}\nA browser of this machine is signed in by the file ${file}`;
  print(line, { url: origin, opened }, text);
  return EXIT.done;
}
