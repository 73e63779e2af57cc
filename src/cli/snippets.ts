import { readFileSync } from "node:fs";
import type { Project } from "../protocol/server-messages.ts";
import type { Snippet } from "../protocol/snippets.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, oneLine, table } from "./terminal.ts";

const VERBS = ["list", "add", "remove"] as const;
const COLUMNS: readonly Column[] = [
  { title: "NAME", style: "cyan" },
  { title: "PROJECT", ...CUT },
  { title: "TEXT", ...CUT },
];
const STDIN = 0;

/** Texts for repeated use: lists, adds and removes snippets. */
export async function snippets(line: CommandLine): Promise<ExitCode> {
  const [given = "list", name, ...rest] = line.args;
  const verb = VERBS.find((one) => one === given);
  if (verb === undefined || (verb === "list") !== (name === undefined)) throw wrongSubcommand(line, VERBS);
  using link = await connect(line.env);
  const named = line.text("project");
  const project = named === undefined ? null : findProject(link, named);
  const known = await listed(link);
  if (verb === "list" || name === undefined) return list(line, link, known, project);
  if (verb === "add") {
    const body = rest.length > 0 ? rest.join(" ") : readFileSync(STDIN, "utf8");
    const before = known.find((one) => one.name === name && one.projectId === project?.id);
    const saved = await link.ask("snippet:list", {
      type: "snippet:save",
      name,
      body,
      ...(before && { snippetId: before.id }),
      ...(project && { projectId: project.id }),
    });
    const snippet = saved.snippets.find((one) => one.name === name && one.projectId === project?.id);
    print(line, { snippet }, `${before ? "Changed" : "Added"} /${name}.`);
    return EXIT.done;
  }
  const found = known.find((one) => one.name === name && one.projectId === project?.id);
  if (!found) throw new CliError(EXIT.failed, `There is no snippet /${name} here. See: liminal snippets`);
  await link.ask("snippet:list", { type: "snippet:remove", snippetId: found.id });
  print(line, { snippetId: found.id, name, status: "removed" }, `Removed /${name}.`);
  return EXIT.done;
}

async function listed(link: ServerLink): Promise<readonly Snippet[]> {
  return (await link.ask("snippet:list", { type: "snippet:list" })).snippets;
}

function list(line: CommandLine, link: ServerLink, known: readonly Snippet[], project: Project | null): ExitCode {
  const shown = known.filter(
    ({ projectId }) => project === null || projectId === undefined || projectId === project.id,
  );
  const nameOf = (id: Snippet["projectId"]) => link.hello.projects.find((one) => one.id === id)?.name ?? "";
  const rows = shown.map(({ name, projectId, body }) => [`/${name}`, nameOf(projectId), oneLine(body)]);
  const none = 'No snippets. Add one with: liminal snippets add review "Review $ARGUMENTS."';
  print(line, { snippets: shown }, rows.length > 0 ? table(COLUMNS, rows, line.screen) : none);
  return EXIT.done;
}
