import { resolve } from "node:path";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, table } from "./terminal.ts";

/** A directory is meant to be copied: it is never cut. */
const COLUMNS: readonly Column[] = [{ title: "NAME", ...CUT, style: "cyan" }, { title: "DIRECTORY" }];

export async function projects(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", which] = line.args;
  const isList = verb === "list";
  if (!["list", "add", "remove"].includes(verb) || isList !== (which === undefined))
    throw wrongSubcommand(line, ["list", "add", "remove"]);
  using link = await connect(line.env);
  if (which === undefined) list(line, link);
  else if (verb === "add") await add(line, link, which);
  else await remove(line, link, which);
  return EXIT.done;
}

function list(line: CommandLine, link: ServerLink): void {
  const { projects: known } = link.hello;
  const rows = known.map(({ name, path }) => [name, path]);
  const text = table(COLUMNS, rows, line.screen);
  print(
    line,
    { projects: known },
    known.length > 0 ? text : "No projects yet. Add one with: liminal projects add <dir>",
  );
}

async function add(line: CommandLine, link: ServerLink, path: string): Promise<void> {
  const { project } = await link.ask("project:added", { type: "project:add", path: resolve(path) });
  print(line, { project }, `Added ${project.name} (${project.path}).`);
}

async function remove(line: CommandLine, link: ServerLink, wanted: string): Promise<void> {
  const { id: projectId, name } = findProject(link, wanted);
  await link.act({ type: "project:remove", projectId });
  print(line, { projectId, status: "removed" }, `Removed ${name}. Its files and sessions are kept.`);
}
