import { bashScript } from "./completion/bash-script.ts";
import { fishScript } from "./completion/fish-script.ts";
import { zshScript } from "./completion/zsh-script.ts";
import { listDevices } from "./devices.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { allSessions, shortId } from "./find-session.ts";
import { type CommandLine, misusedNamed } from "./parse-command-line.ts";
import { beQuiet, plain } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";

const SCRIPTS: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints a shell's script; the scripts themselves call back with `offer sessions`, `offer agents` and `offer devices`. */
export async function completion(line: CommandLine): Promise<ExitCode> {
  const [shell = "", what = ""] = line.args;
  if (shell === "offer") {
    process.stdout.write((await offered(line, what)).map((word) => `${plain(word)}\n`).join(""));
    return EXIT.done;
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!script || what !== "")
    throw misusedNamed("completion", `Unsupported shell "${shell}". Choose bash, zsh or fish.`);
  process.stdout.write(script());
  return EXIT.done;
}

/** Pressing Tab starts no server and complains about nothing. */
async function offered(line: CommandLine, what: string): Promise<readonly string[]> {
  beQuiet();
  try {
    using link = await connect(line.env, "fail");
    if (what === "devices") return (await listDevices(link.server)).map(({ id }) => id);
    return what === "agents" ? link.hello.agents.map(({ id }) => id) : await sessionWords(link);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

async function sessionWords(link: ServerLink): Promise<readonly string[]> {
  const ids = (await allSessions(link, link.hello.projects, false)).map(({ id }) => id);
  return ids.map((id) => shortId(id, ids));
}
