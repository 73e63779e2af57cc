import type { ToolServer } from "../protocol/tool-server.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";
import { type Column, type Screen, type Styled, table } from "./terminal.ts";

const COLUMNS: readonly Column[] = [
  { title: "NAME", style: "cyan" },
  { title: "HERE", style: (here) => (here === "on" ? "green" : "dim") },
  { title: "COMMAND OR ADDRESS" },
];

/** Shows the MCP servers of config.json in a project, or enables or disables one there. */
export async function mcpServers(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", name] = line.args;
  const isList = verb === "list";
  if (!["list", "enable", "disable"].includes(verb) || isList !== (name === undefined))
    throw wrongSubcommand(line, ["list", "enable", "disable"]);
  using link = await connect(line.env);
  const { id: projectId, name: project } = findProject(link, line.text("project") ?? ".");
  const { servers } = await link.ask("mcp:servers", { type: "mcp:list", projectId });
  if (name === undefined) {
    print(line, { projectId, servers }, servers.length > 0 ? listed(servers, line.screen) : NONE);
    return EXIT.done;
  }
  if (!servers.some((server) => server.name === name)) throw unknownServer(name, servers);
  const enabled = verb === "enable";
  const changed = await link.ask("mcp:servers", { type: "mcp:choose", projectId, name, enabled });
  const words = `${enabled ? "Enabled" : "Disabled"} ${name} in ${project}. Applies to sessions started or resumed from now on.`;
  print(line, { projectId, servers: changed.servers }, words);
  return EXIT.done;
}

const NONE =
  "No tool servers. Add them under mcpServers in config.json in the data directory, then restart the server.";

function listed(servers: readonly ToolServer[], screen: Screen): Styled {
  const rows = servers.map(({ name, enabled, target }) => [name, enabled ? "on" : "off", target]);
  return table(COLUMNS, rows, screen);
}

function unknownServer(name: string, servers: readonly ToolServer[]): CliError {
  const known = servers.map((server) => server.name).join(", ");
  const message = `No tool server "${name}" in config.json. ${known === "" ? "None are configured." : `Configured: ${known}.`}`;
  return new CliError(EXIT.failed, message, "MCP_SERVER_NOT_FOUND");
}
