import { ownCommands, ownProgram } from "../operations/install/installation.ts";
import {
  describeService,
  isInstalled,
  isRunning,
  removeService,
  runAll,
  type Service,
  writeService,
} from "../operations/install/service.ts";
import type { CommandLine } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";

/** Makes the system start the server at login. */
export async function service(line: CommandLine): Promise<ExitCode> {
  const [action = "status"] = line.args;
  const described = serviceOf(line);
  switch (action) {
    case "install":
      return install(line, described);
    case "status":
      return status(line, described);
    case "uninstall":
      return uninstall(line, described);
    default:
      throw new CliError(EXIT.usage, `Unknown action "${action}". Use install, status or uninstall.`, "USAGE");
  }
}

/** The service of this system, as this program would install it. */
export function serviceOf({ env }: CommandLine): Service {
  const described = describeService(ownCommands(env)[0] ?? ownProgram(), env, process.platform);
  if (described) return described;
  throw new CliError(EXIT.failed, `There is no service for ${process.platform}. Start it with: liminal serve`);
}

async function install(line: CommandLine, described: Service): Promise<ExitCode> {
  writeService(described);
  printNote(`Wrote ${described.path}:\n\n${described.text}`);
  const problem = line.has("no-start") ? null : await runAll(described.start, line.env);
  if (problem !== null) {
    const commands = described.start.map((command) => `  ${command.join(" ")}`).join("\n");
    throw new CliError(
      EXIT.failed,
      `The file is written, but the service could not be started (${problem}).\nIn a session of your own, run:\n${commands}`,
    );
  }
  const words = line.has("no-start") ? "It was not started." : "It runs now, and starts at each login.";
  print(line, { status: "installed", path: described.path }, `Installed the service. ${words}`);
  return EXIT.done;
}

async function status(line: CommandLine, described: Service): Promise<ExitCode> {
  const installed = isInstalled(described);
  const running = installed && (await isRunning(described, line.env));
  const words = !installed
    ? "The service is not installed. Install it with: liminal service install"
    : `The service is installed (${described.path}) and ${running ? "runs" : "does not run"}.`;
  print(line, { installed, running, path: described.path }, words);
  return EXIT.done;
}

async function uninstall(line: CommandLine, described: Service): Promise<ExitCode> {
  if (!isInstalled(described)) {
    print(line, { status: "not-installed", path: described.path }, "The service is not installed.");
    return EXIT.done;
  }
  const problem = await runAll(described.stop, line.env);
  if (problem !== null) printNote(`It could not be stopped (${problem}). Stop it with: liminal stop`);
  removeService(described);
  print(line, { status: "uninstalled", path: described.path }, `Removed ${described.path}. Your data was not touched.`);
  return EXIT.done;
}
