import { isModelOption, modelsOf } from "../presentation/model-list.ts";
import type { AgentInfo } from "../protocol/server-messages.ts";
import type { ConfigOption } from "../protocol/session-parts.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print, printNote } from "./print.ts";
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

const VERBS: readonly string[] = ["list", "install", "update", "remove", "models"];
const MODEL_COLUMNS: readonly Column[] = [
  { title: "MODEL", style: "cyan" },
  { title: "IS", style: "yellow" },
  { title: "NAME", ...CUT },
];

export async function agents(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", which] = line.args;
  const needsId = verb === "install" || verb === "remove" || verb === "models";
  if (!VERBS.includes(verb)) throw wrongSubcommand(line, VERBS);
  if (needsId !== (which !== undefined) && verb !== "update") throw wrongUsage(line, "Missing argument: <id>.");
  using link = await connect(line.env);
  if (verb === "list") list(line, link.hello.agents);
  else if (verb === "update") await update(line, link, which);
  else if (verb === "install") await install(line, link, agentNamed(link, which));
  else if (verb === "models") await models(line, link, agentNamed(link, which));
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
  printNote(`Installing ${name}${version === undefined ? "" : ` ${version}`} …`);
  await link.act({ type: "agent:install", cliType: id, ...(version !== undefined && { version }) });
}

async function remove(line: CommandLine, link: ServerLink, { id, name }: AgentInfo): Promise<void> {
  await link.act({ type: "agent:uninstall", cliType: id });
  print(line, { id, status: "removed" }, `Removed ${name}. Its sessions are kept.`);
}

/** Favourites first, as on the page. */
async function models(line: CommandLine, link: ServerLink, { id, name }: AgentInfo): Promise<void> {
  for (const favourite of [true, false]) {
    const model = line.text(favourite ? "favourite" : "unfavourite");
    if (model === undefined) continue;
    const { options } = await link.ask("agent:options", { type: "agent:options", cliType: id });
    await link.ask("agent:options", {
      type: "agent:favourite",
      cliType: id,
      model: modelNamed(options, model),
      favourite,
    });
  }
  const {
    options,
    favourites = [],
    lastModel,
  } = await link.ask("agent:options", { type: "agent:options", cliType: id });
  const option = options.find(isModelOption);
  const known = (option ? modelsOf(option) : []).map(({ value, name: words, description }) => ({
    id: value,
    name: words,
    ...(description !== undefined && { description }),
    favourite: favourites.includes(value),
    default: value === option?.currentValue,
    lastUsed: value === lastModel,
  }));
  const shown = [...known.filter(({ favourite }) => favourite), ...known.filter(({ favourite }) => !favourite)];
  const rows = shown.map((model) => {
    const marks = [model.favourite && "favourite", model.default && "default", model.lastUsed && "last used"];
    return [model.id, marks.filter(Boolean).join(", ") || "-", model.name];
  });
  const none = `${name} has told no models yet. It tells them in its first session.`;
  print(line, { id, models: shown }, shown.length === 0 ? none : table(MODEL_COLUMNS, rows, line.screen));
}

/** By id or by name; what the agent has not told is taken as an id. */
function modelNamed(options: readonly ConfigOption[], wanted: string): string {
  const option = options.find(isModelOption);
  const known = option ? modelsOf(option) : [];
  const found = known.find(({ value }) => value === wanted) ?? known.find(({ name }) => name === wanted);
  if (found || known.length === 0) return found?.value ?? wanted;
  const ids = known.map(({ value }) => value).join(", ");
  throw new CliError(EXIT.failed, `The agent has no model "${wanted}". It has: ${ids}.`, "MODEL_UNKNOWN");
}
