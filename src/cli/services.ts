import type { CommandConsent, ServiceInfo } from "../protocol/terminals.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";
import { type Column, CUT, oneLine, type Style, table } from "./terminal.ts";
import { findWorktree, listWorktrees } from "./worktrees.ts";

const VERBS = ["list", "start", "stop", "restart", "consents", "revoke"] as const;
const STATE_STYLES: Readonly<Record<ServiceInfo["state"], Style>> = {
  asks: "yellow",
  stopped: "dim",
  running: "green",
  waiting: "yellow",
  failed: "red",
};
const COLUMNS: readonly Column[] = [
  { title: "NAME", style: "cyan" },
  { title: "STATE", style: (state) => STATE_STYLES[state as ServiceInfo["state"]] },
  { title: "ADDRESS" },
  { title: "COMMAND", ...CUT },
];
const CONSENT_COLUMNS: readonly Column[] = [
  { title: "USE", style: "cyan" },
  { title: "AGREED", style: "dim" },
  { title: "COMMAND", ...CUT },
];

/** The services of `liminal.json` in a project or a worktree, and the commands that the user agreed to. */
export async function services(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", name] = line.args;
  const isAboutAll = verb === "list" || verb === "consents";
  if (!VERBS.some((one) => one === verb) || isAboutAll !== (name === undefined)) throw wrongSubcommand(line, VERBS);
  using link = await connect(line.env);
  const { project, worktrees, here } = await listWorktrees(line, link);
  const projectId = project.id;
  if (verb === "consents" || verb === "revoke") {
    const { consents } = await link.ask("service:consents", { type: "service:consents", projectId });
    if (name === undefined) {
      const rows = consents.map(({ kind, at, command }) => [useOf(kind), at.slice(0, 10), oneLine(command)]);
      const none = `You have agreed to no command of ${project.name}.`;
      print(line, { projectId, consents }, rows.length > 0 ? table(CONSENT_COLUMNS, rows, line.screen) : none);
      return EXIT.done;
    }
    const revoked = consents.filter(({ kind }) => useOf(kind) === name);
    if (revoked.length === 0)
      throw new CliError(
        EXIT.failed,
        `You have agreed to no command for "${name}". List your consents with: liminal services consents`,
        "NO_CONSENT",
      );
    for (const { hash } of revoked) await link.ask("service:consents", { type: "service:revoke", projectId, hash });
    print(line, { projectId, name, status: "revoked" }, `Revoked. ${name} asks again before it runs.`);
    return EXIT.done;
  }
  const wanted = line.text("worktree");
  const place = wanted === undefined ? here : findWorktree(worktrees, wanted);
  const where = { projectId, worktreeId: place?.worktreeId ?? null };
  const type = `service:${verb as "list" | "start" | "stop" | "restart"}` as const;
  const request = type === "service:list" ? { type, ...where } : { type, ...where, name: name ?? "" };
  const { services: found, problem } = await link.ask("service:list", request);
  const rows = found.map((one) => [oneLine(one.name), one.state, one.url ?? "", oneLine(one.command)]);
  const none = `${place?.name ?? project.name} has no services. They are named in liminal.json.`;
  const text = rows.length > 0 ? table(COLUMNS, rows, line.screen) : none;
  print(line, { ...where, services: found, ...(problem !== undefined && { problem }) }, text);
  if (problem !== undefined && !line.has("json")) console.error(problem);
  return EXIT.done;
}

/** As it is named on the command line: `setup`, `teardown`, or the name of a service. */
function useOf(kind: CommandConsent["kind"]): string {
  return kind.replace(/^service:/, "");
}
