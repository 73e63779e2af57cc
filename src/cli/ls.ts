import type { SessionRow } from "../protocol/session-schema.ts";
import type { CommandLine } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { allSessions, shortId } from "./find-session.ts";
import { print } from "./print.ts";
import { connect } from "./server-link.ts";
import { type Column, CUT, type Style, table } from "./terminal.ts";

const STATE_STYLES: Readonly<Record<string, Style>> = {
  idle: "dim",
  archived: "dim",
  failed: "red",
  interrupted: "red",
  waiting: "yellow",
  stalled: "yellow",
};
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;
const TITLE_COLUMNS_MIN = 20;
const columnsOf = (hasTimes: boolean): readonly Column[] => [
  { title: "SESSION", style: "cyan" },
  { title: "STATE", style: (state) => STATE_STYLES[state] ?? "green" },
  { title: "AGENT" },
  { title: "PROJECT", ...CUT },
  { title: hasTimes ? "ACTIVE (UTC)" : "ACTIVE", style: "dim" },
  { title: "TITLE", columnsMin: TITLE_COLUMNS_MIN },
];

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
    project,
    line.screen.columns === null ? lastActiveAt.slice(0, 16).replace("T", " ") : ageOf(lastActiveAt),
    title,
  ]);
  const text = table(columnsOf(line.screen.columns === null), lines, line.screen);
  print(line, { sessions }, lines.length > 0 ? text : 'No sessions yet. Start one with: liminal run "…"');
  return EXIT.done;
}

/** For people; programs get the time itself. */
function ageOf(iso: string): string {
  const minutes = Math.floor((Date.now() - Date.parse(iso)) / MS_PER_MINUTE);
  if (minutes < 1) return "now";
  if (minutes < MINUTES_PER_HOUR) return `${minutes}m ago`;
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  return hours < HOURS_PER_DAY ? `${hours}h ago` : `${Math.floor(hours / HOURS_PER_DAY)}d ago`;
}

/** A turn that ended badly is shown here: "idle" would hide it. */
function stateOf({ state, stopReason }: SessionRow["turn"]): string {
  if (state !== "idle") return state;
  return stopReason === "error" ? "failed" : stopReason === "interrupted" ? "interrupted" : "idle";
}
