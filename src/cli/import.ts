import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CliType } from "../protocol/ids.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findOrAddProject } from "./find-project.ts";
import { print, printNote } from "./print.ts";
import { bodyOf } from "./running-server.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, table } from "./terminal.ts";

const Imported = z.object({ session: z.object({ id: z.string(), title: z.string() }) });
const COLUMNS: readonly Column[] = [
  { title: "ID", style: "cyan" },
  { title: "CHANGED (UTC)", style: "dim" },
  { title: "TITLE", ...CUT },
];
const MINUTE_CHARS = "2000-01-01T00:00".length;

/** `import`: an exported file, or conversations that an agent has from elsewhere. */
export async function importSessions(line: CommandLine): Promise<ExitCode> {
  const [file, ...ids] = line.args;
  const agent = line.text("agent");
  if (agent === undefined && file === undefined)
    throw wrongUsage(line, "Name a file of liminal export --format json, or an agent with --agent.");
  const cliType = CliType.safeParse(agent);
  if (agent !== undefined && !cliType.success) throw wrongUsage(line, `No agent "${agent}".`);
  using link = await connect(line.env);
  const project = await findOrAddProject(link, line.text("project") ?? ".");
  if (cliType.success) return importFrom(line, link, { projectId: project.id, cliType: cliType.data }, line.args);
  if (ids.length > 0) throw wrongUsage(line, `Unexpected argument "${ids[0]}".`);
  const query = new URLSearchParams({ projectId: project.id, ...(line.has("copy") && { copy: "1" }) });
  const document = parsed(await readFile(file ?? "", "utf8").catch(unreadable), file ?? "");
  const response = await bodyOf(await link.server.post(`/api/import?${query}`, document));
  const { session } = Imported.parse(await response.json());
  print(line, { session }, `Imported ${session.id}: ${session.title}`);
  return EXIT.done;
}

type Place = { readonly projectId: Awaited<ReturnType<typeof findOrAddProject>>["id"]; readonly cliType: CliType };

/** Without ids it lists the agent's conversations; with ids, or with `--all`, it imports. */
async function importFrom(
  line: CommandLine,
  link: ServerLink,
  place: Place,
  ids: readonly string[],
): Promise<ExitCode> {
  const found = await link.ask("import:found", { type: "import:list", ...place });
  const known = found.sessions.map(({ agentSessionId }) => agentSessionId);
  if (ids.length === 0 && !line.has("all")) {
    const rows = found.sessions.map(({ agentSessionId, updatedAt, title }) => [
      agentSessionId,
      updatedAt?.slice(0, MINUTE_CHARS).replace("T", " ") ?? "",
      title ?? "",
    ]);
    print(
      line,
      { sessions: found.sessions, known: found.known },
      rows.length > 0 ? table(COLUMNS, rows, line.screen) : "Nothing to import.",
    );
    if (rows.length > 0) printNote("Import with: liminal import --agent <agent> <id …>, or --all");
    return EXIT.done;
  }
  const chosen = ids.length > 0 ? known.filter((id) => ids.some((wanted) => id.startsWith(wanted))) : known;
  if (chosen.length === 0) throw new CliError(EXIT.failed, "The agent has no such conversation here.", "NOT_FOUND");
  const done = Promise.withResolvers<{
    readonly adopted: number;
    readonly failedCount: number;
    readonly problem?: string | undefined;
  }>();
  let importId = "";
  using _listening = link.listen((message) => {
    if (message.type === "import:done" && (importId === "" || message.importId === importId)) done.resolve(message);
  });
  ({ importId } = await link.ask("import:started", { type: "import:start", ...place, agentSessionIds: chosen }));
  const { adopted, failedCount, problem } = await Promise.race([done.promise, link.lost]);
  print(
    line,
    { imported: adopted, failed: failedCount },
    `Imported ${adopted} of ${chosen.length}.${problem ? ` ${problem}` : ""}`,
  );
  return failedCount > 0 || problem !== undefined ? EXIT.failed : EXIT.done;
}

function parsed(text: string, file: string): object {
  try {
    return z.looseObject({}).parse(JSON.parse(text));
  } catch {
    throw new CliError(
      EXIT.failed,
      `${file} is not a JSON export. Make one with: liminal export --format json`,
      "NO_EXPORT",
    );
  }
}

function unreadable(error: unknown): never {
  throw new CliError(
    EXIT.failed,
    `Cannot read the file: ${error instanceof Error ? error.message : String(error)}`,
    "NO_FILE",
  );
}
