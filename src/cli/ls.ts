import type { SessionRow } from "../protocol/server-messages.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { allSessions, shortId } from "./find-session.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { oneLine, print, table } from "./print.ts";
import { connect } from "./server-link.ts";

export async function ls(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const wanted = line.text("project");
  const projects = wanted === undefined ? link.hello.projects : [findProject(link, wanted)];
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const rows = await allSessions(link, projects, line.has("all"));
  const sessions = rows.map((row) => ({ ...row, project: names.get(row.projectId) ?? "" }));
  const ids = rows.map(({ id }) => id);
  const lines = sessions.map(({ id, turn, cliType, project, lastActiveAt, archived, title }) => [
    shortId(id, ids),
    archived ? "archived" : stateOf(turn),
    cliType,
    oneLine(project, 24),
    lastActiveAt.slice(0, 16).replace("T", " "),
    oneLine(title),
  ]);
  const text = table([["SESSION", "STATE", "AGENT", "PROJECT", "ACTIVE (UTC)", "TITLE"], ...lines]);
  print(line, { sessions }, lines.length > 0 ? text : 'No sessions yet. Start one with: liminal run "…"');
  return EXIT.done;
}

/** A turn that ended badly is told here too: nobody would look for it under "idle". */
function stateOf({ state, stopReason }: SessionRow["turn"]): string {
  if (state !== "idle") return state;
  return stopReason === "error" ? "failed" : stopReason === "interrupted" ? "interrupted" : "idle";
}
