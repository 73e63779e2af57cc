import { LiminalApiError } from "../client/http-client.ts";
import { API_SCOPES, ApiScope, type ShownApiToken } from "../protocol/api-tokens.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { print, printNote } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, type Styled, table } from "./terminal.ts";

const COLUMNS: readonly Column[] = [
  { title: "ID", style: "cyan" },
  { title: "SCOPE" },
  { title: "LAST USED (UTC)", style: "dim" },
  { title: "CREATED (UTC)", style: "dim" },
  { title: "PROJECT", ...CUT },
  { title: "NAME", ...CUT },
];
const MINUTE_CHARS = "2000-01-01T00:00".length;

/** Tokens for programs: listed, created and revoked. */
export async function tokens(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", wanted] = line.args;
  const needsName = verb === "create" || verb === "revoke";
  if ((verb !== "list" && !needsName) || needsName === (wanted === undefined))
    throw wrongSubcommand(line, ["list", "create", "revoke"]);
  using link = await connect(line.env);
  if (verb === "create") await create(line, link, wanted ?? "");
  else if (verb === "revoke") await revoke(line, link, wanted ?? "");
  else {
    const known = await listTokens(link);
    print(
      line,
      { tokens: known },
      known.length > 0
        ? listed(line, link, known)
        : "There are no tokens. Create one with: liminal tokens create <name>",
    );
  }
  return EXIT.done;
}

async function create(line: CommandLine, link: ServerLink, name: string): Promise<void> {
  const scope = ApiScope.safeParse(line.text("scope") ?? "read");
  if (!scope.success) throw wrongUsage(line, `--scope: expected ${API_SCOPES.join(", ")}.`);
  const project = line.text("project");
  const wanted = {
    name,
    scope: scope.data,
    ...(project !== undefined && { projectId: findProject(link, project).id }),
  };
  const made = await asked(link.server.api.call("createToken", wanted));
  // The only output of it, so that a script can take it.
  print(line, made, made.secret);
  printNote("This secret is not shown again. Programs send it as: Authorization: Bearer <secret>");
}

async function revoke(line: CommandLine, link: ServerLink, wanted: string): Promise<void> {
  const id = idOf(await listTokens(link), wanted);
  const { revoked } = await asked(link.server.api.call("revokeToken", { tokenId: id }));
  print(line, { revoked }, `Revoked ${revoked}.`);
}

async function listTokens({ server }: ServerLink): Promise<readonly ShownApiToken[]> {
  return (await asked(server.api.call("listTokens", {}))).tokens;
}

/** A refusal ends the command with the server's words. */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof LiminalApiError)) throw error;
    throw new CliError(EXIT.failed, error.message, error.code);
  }
}

/** An id, a unique beginning of one, or a name that only one has. */
function idOf(known: readonly ShownApiToken[], wanted: string): string {
  const found = known.filter(({ id, name }) => id.startsWith(wanted) || name === wanted);
  const only = known.find(({ id }) => id === wanted) ?? (found.length === 1 ? found[0] : undefined);
  if (only) return only.id;
  const words =
    found.length > 1 ? `"${wanted}" matches ${found.length} tokens. Type more of the id.` : `No token "${wanted}".`;
  throw new CliError(EXIT.failed, `${words} List tokens with: liminal tokens`, "TOKEN_NOT_FOUND");
}

function listed({ screen }: CommandLine, { hello }: ServerLink, known: readonly ShownApiToken[]): Styled {
  const projectName = (id: string) => hello.projects.find((project) => project.id === id)?.name ?? id;
  const rows = known.map(({ id, name, scope, projectId, createdAt, lastUsedAt }) => [
    id,
    scope,
    lastUsedAt === undefined ? "never" : minuteOf(lastUsedAt),
    minuteOf(createdAt),
    projectId === undefined ? "all" : projectName(projectId),
    name,
  ]);
  return table(COLUMNS, rows, screen);
}

function minuteOf(iso: string): string {
  return iso.slice(0, MINUTE_CHARS).replace("T", " ");
}
