import type { AgentInfo } from "../protocol/server-messages.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, tell } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, type Style, table } from "./terminal.ts";

const STATE_STYLES: Readonly<Record<string, Style>> = {
  connected: "green",
  "needs-sign-in": "yellow",
  reconnecting: "yellow",
  disconnected: "red",
  failed: "red",
  "needs-install": "dim",
};
const COLUMNS: readonly Column[] = [
  { title: "AGENT", style: "cyan" },
  { title: "STATE", style: (state) => STATE_STYLES[state] },
  { title: "INSTALLED" },
  { title: "CATALOG" },
  { title: "NAME", ...CUT },
];

export async function agents(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", which] = line.args;
  const needsId = verb === "install" || verb === "remove";
  if (!["list", "install", "update", "remove"].includes(verb))
    throw wrongSubcommand(line, ["list", "install", "update", "remove"]);
  if (needsId !== (which !== undefined) && verb !== "update") throw wrongUsage(line, "Missing argument: <id>.");
  using link = await connect(line.env);
  if (verb === "list") list(line, link.hello.agents);
  else if (verb === "update") await update(line, link, which);
  else if (verb === "install") await install(line, link, agentNamed(link, which));
  else await remove(line, link, agentNamed(link, which));
  return EXIT.done;
}

export function agentNamed(link: ServerLink, id: string | undefined): AgentInfo {
  const found = link.hello.agents.find((agent) => agent.id === id);
  if (found) return found;
  throw new CliError(EXIT.failed, `Unknown agent "${id}". List agents with: liminal agents --all`, "AGENT_UNKNOWN");
}

function list(line: CommandLine, known: readonly AgentInfo[]): void {
  const shown = known.filter(({ availability }) => line.has("all") || availability !== "needs-install");
  const rows = shown.map(({ id, availability, status, installedVersion, version, name }) => [
    id,
    availability === "ready" ? status : availability,
    installedVersion ?? "-",
    version ?? "-",
    name,
  ]);
  print(line, { agents: shown }, table(COLUMNS, rows, line.screen));
}

async function install(line: CommandLine, link: ServerLink, agent: AgentInfo): Promise<void> {
  await fetchVersion(line, link, agent);
  print(line, { id: agent.id, status: "installed" }, `Installed ${agent.name}.`);
}

async function update(line: CommandLine, link: ServerLink, id: string | undefined): Promise<void> {
  const isOld = ({ installedVersion, version }: AgentInfo) =>
    installedVersion !== undefined && version !== undefined && installedVersion !== version;
  const chosen = id === undefined ? link.hello.agents.filter(isOld) : [installedOne(link, id)];
  for (const agent of chosen) await fetchVersion(line, link, agent);
  const names = chosen.map(({ name }) => name).join(", ");
  const updated = chosen.map((agent) => agent.id);
  print(line, { updated }, names === "" ? "All agents are up to date." : `Updated: ${names}.`);
}

function installedOne(link: ServerLink, id: string): AgentInfo {
  const agent = agentNamed(link, id);
  if (agent.installedVersion !== undefined) return agent;
  const message = `${agent.name} was not installed by Liminal Builder. Install it with: liminal agents install ${id}`;
  throw new CliError(EXIT.failed, message, "AGENT_UNAVAILABLE");
}

async function fetchVersion(line: CommandLine, link: ServerLink, { id, name }: AgentInfo): Promise<void> {
  const version = line.text("version");
  tell(`Installing ${name}${version === undefined ? "" : ` ${version}`} …`);
  await link.act({ type: "agent:install", cliType: id, ...(version !== undefined && { version }) });
}

async function remove(line: CommandLine, link: ServerLink, { id, name }: AgentInfo): Promise<void> {
  await link.act({ type: "agent:uninstall", cliType: id });
  print(line, { id, status: "removed" }, `Removed ${name}. Its sessions are kept.`);
}
