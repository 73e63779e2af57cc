import { type CommandLine, type CommandSpec, wrongUsage } from "./command-line.ts";
import { bashScript, fishScript, zshScript } from "./completion-scripts.ts";
import { listDevices } from "./devices.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { allSessions, shortId } from "./find-session.ts";
import { openRequests, shortRequestId } from "./permit.ts";
import { beQuiet } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { oneLine, plain } from "./terminal.ts";

const TITLE_COLUMNS_MAX = 80;

const SCRIPTS: Readonly<Record<string, (commands: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * Prints a shell's script; the scripts call back with `offer sessions`, `offer agents` and so on, and get lines of an
 * id, a tab and a title.
 */
export async function completion(line: CommandLine, commands: readonly CommandSpec[]): Promise<ExitCode> {
  const [shell = "", what = ""] = line.args;
  if (shell === "offer") {
    process.stdout.write((await offered(line, what)).map((word) => `${plain(word)}\n`).join(""));
    return EXIT.done;
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!script || what !== "") throw wrongUsage(line, `Unsupported shell "${shell}". Choose bash, zsh or fish.`);
  process.stdout.write(script(commands));
  return EXIT.done;
}

/** Pressing Tab starts no server and reports no errors. */
async function offered(line: CommandLine, what: string): Promise<readonly string[]> {
  beQuiet();
  try {
    using link = await connect(line.env, "fail");
    return (await offersOf(line, link, what)).map(({ id, title }) => `${id}\t${oneLine(title, TITLE_COLUMNS_MAX)}`);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

interface Offered {
  readonly id: string;
  /** Shown beside the id. */
  readonly title: string;
}

async function offersOf(line: CommandLine, link: ServerLink, what: string): Promise<readonly Offered[]> {
  switch (what) {
    case "devices":
      return (await listDevices(link.server)).map(({ id, name }) => ({ id, title: name }));
    case "agents":
      return link.hello.agents
        .filter(({ availability }) => availability !== "needs-install")
        .map(({ id, name }) => ({ id, title: name }));
    case "requests": {
      const requests = await openRequests(line, link);
      const ids = requests.map(({ id }) => id);
      return requests.map(({ id, asks }) => ({ id: shortRequestId(id, ids), title: asks }));
    }
    default: {
      const sessions = await allSessions(link, link.hello.projects, false);
      const ids = sessions.map(({ id }) => id);
      return sessions.map(({ id, title }) => ({ id: shortId(id, ids), title }));
    }
  }
}
