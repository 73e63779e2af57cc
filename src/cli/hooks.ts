import { LiminalApiError } from "../client/http-client.ts";
import { CliType } from "../protocol/ids.ts";
import type { ShownHook } from "../protocol/incoming-hooks.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findOrAddProject } from "./find-project.ts";
import { print, printNote } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, table } from "./terminal.ts";

const COLUMNS: readonly Column[] = [
  { title: "NAME", style: "cyan" },
  { title: "AGENT" },
  { title: "PROJECT", ...CUT },
  { title: "LAST CALL (UTC)", style: "dim" },
  { title: "RESULT", ...CUT },
];
const MINUTE_CHARS = "2000-01-01T00:00".length;

/** Hooks that start prompts: listed, created and removed. */
export async function hooks(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", name, ...words] = line.args;
  const isRight =
    verb === "list"
      ? name === undefined
      : verb === "remove"
        ? words.length === 0 && name !== undefined
        : verb === "add";
  if (!isRight) throw wrongSubcommand(line, ["list", "add", "remove"]);
  using link = await connect(line.env);
  try {
    if (verb === "list") await list(line, link);
    else if (verb === "add") await add(line, link, name, words.join(" "));
    else {
      const { removed } = await link.server.api.call("removeHook", { name: name ?? "" });
      print(line, { removed }, `Removed ${removed}.`);
    }
  } catch (error) {
    if (!(error instanceof LiminalApiError)) throw error;
    throw new CliError(EXIT.failed, [error.message, error.details ?? ""].join(" ").trim(), error.code);
  }
  return EXIT.done;
}

async function list(line: CommandLine, link: ServerLink): Promise<void> {
  const { hooks: known } = await link.server.api.call("listHooks", {});
  const projectName = (id: string) => link.hello.projects.find((project) => project.id === id)?.name ?? id;
  const rows = known.map(({ name, cliType, projectId, last }: ShownHook) => [
    name,
    cliType,
    projectName(projectId),
    last?.at.slice(0, MINUTE_CHARS).replace("T", " ") ?? "never",
    last?.problem ?? last?.sessionId ?? "",
  ]);
  const none = "There are no hooks. Add one with: liminal hooks add <name> <text>";
  print(line, { hooks: known }, known.length > 0 ? table(COLUMNS, rows, line.screen) : none);
}

async function add(line: CommandLine, link: ServerLink, name: string | undefined, template: string): Promise<void> {
  if (name === undefined || template === "") throw wrongUsage(line, "Missing argument: a name and the text to send.");
  const agent = CliType.safeParse(line.text("agent") ?? "builtin");
  if (!agent.success) throw wrongUsage(line, "--agent: no such agent. List agents with: liminal agents");
  const project = await findOrAddProject(link, line.text("project") ?? ".");
  const made = await link.server.api.call("saveHook", { name, projectId: project.id, cliType: agent.data, template });
  print(line, { ...made, url: `${link.server.origin}${made.path}` }, made.secret);
  printNote(
    `This secret is not shown again. Call it with: curl -H "Authorization: Bearer <secret>" -d "text" ${link.server.origin}${made.path}`,
  );
}
