import { PermissionMode } from "../protocol/permission-policy.ts";
import {
  type Cadence,
  type RunState,
  type Schedule,
  ScheduleBudget,
  type ScheduleRun,
  type ScheduleTarget,
} from "../protocol/schedules.ts";
import type { Project } from "../protocol/server-messages.ts";
import { agentNamed } from "./agents.ts";
import { type CommandLine, wrongSubcommand, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findOrAddProject, findProject } from "./find-project.ts";
import { findSession } from "./find-session.ts";
import { print } from "./print.ts";
import { lastAgent } from "./run.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, oneLine, type Style, table } from "./terminal.ts";
import { worktreeHere } from "./worktrees.ts";

const VERBS = ["list", "add", "remove", "enable", "disable", "run", "history"] as const;
type Verb = (typeof VERBS)[number];
const STATE_STYLES: Readonly<Record<RunState, Style>> = {
  starting: "yellow",
  running: "yellow",
  done: "green",
  failed: "red",
  limited: "red",
  cancelled: "dim",
  refused: "red",
  skipped: "dim",
};
const runStyle = (state: string): Style => STATE_STYLES[state as RunState] ?? "dim";
const COLUMNS: readonly Column[] = [
  { title: "ID", style: "cyan" },
  { title: "NAME", ...CUT },
  { title: "WHEN", ...CUT },
  { title: "NEXT" },
  { title: "LAST RUN", style: runStyle },
];
const RUN_COLUMNS: readonly Column[] = [
  { title: "DUE" },
  { title: "STATE", style: runStyle },
  { title: "SESSION", style: "cyan" },
  { title: "DETAIL", ...CUT },
];
const NAME_CHARS_MAX = 60;

/** Prompts at set times: lists, adds and changes schedules, and shows their results. */
export async function schedule(line: CommandLine): Promise<ExitCode> {
  const [given = "list", ...rest] = line.args;
  const verb = VERBS.find((one) => one === given);
  if (verb === undefined || (verb === "list" ? rest.length > 0 : rest.length === 0)) throw wrongSubcommand(line, VERBS);
  if (verb === "add") return add(line, rest.join(" "));
  using link = await connect(line.env);
  const named = line.text("project");
  const projects = named === undefined ? link.hello.projects : [findProject(link, named)];
  const known = (await Promise.all(projects.map((project) => schedulesOf(link, project)))).flat();
  if (verb === "list") {
    const rows = known.map((one) => [
      one.id,
      oneLine(one.name),
      whenWords(one.cadence),
      one.enabled ? localTime(one.nextDueAt) : "disabled",
      one.lastRun?.state ?? "",
    ]);
    const none = 'No schedules. Add one with: liminal schedule add --cron "0 9 * * 1-5" "…"';
    print(line, { schedules: known }, rows.length > 0 ? table(COLUMNS, rows, line.screen) : none);
    return EXIT.done;
  }
  return await change(line, link, verb, find(known, rest.join(" ")));
}

async function change(
  line: CommandLine,
  link: ServerLink,
  verb: Exclude<Verb, "list" | "add">,
  { id: scheduleId, name }: Schedule,
): Promise<ExitCode> {
  const done = (status: string, words: string) => {
    print(line, { scheduleId, name, status }, words);
    return EXIT.done;
  };
  switch (verb) {
    case "remove":
      await link.act({ type: "schedule:remove", scheduleId });
      return done("removed", `Removed ${oneLine(name)}. Its sessions are kept.`);
    case "enable":
    case "disable":
      await link.act({ type: "schedule:enable", scheduleId, enabled: verb === "enable" });
      return done(`${verb}d`, `${verb === "enable" ? "Enabled" : "Disabled"} ${oneLine(name)}.`);
    case "run":
      await link.act({ type: "schedule:run", scheduleId });
      return done(
        "started",
        `Started ${oneLine(name)}. See what becomes of it: liminal schedule history ${scheduleId}`,
      );
    case "history": {
      const { runs } = await link.ask("schedule:runs", { type: "schedule:runs", scheduleId });
      const shown = runs.length > 0 ? table(RUN_COLUMNS, runs.map(runRow), line.screen) : "No runs yet.";
      print(line, { scheduleId, name, runs }, shown);
      return EXIT.done;
    }
    default:
      return verb satisfies never;
  }
}

async function add(line: CommandLine, prompt: string): Promise<ExitCode> {
  if (prompt.trim() === "") throw wrongUsage(line, "The prompt is empty.");
  const cadence = cadenceOf(line);
  const budget = budgetOf(line);
  using link = await connect(line.env);
  const target = await targetOf(line, link);
  await link.ask("schedule:preview", { type: "schedule:preview", cadence });
  // After all that can be wrong without it: a refused command adds no project.
  const named = line.text("project");
  const here = named === undefined ? await worktreeHere(link) : null;
  const project = here?.project ?? (await findOrAddProject(link, named ?? process.cwd()));
  const before = new Set((await schedulesOf(link, project)).map(({ id }) => id));
  const { schedules } = await link.ask("schedule:list", {
    type: "schedule:save",
    projectId: project.id,
    name: line.text("name") ?? oneLine(prompt).slice(0, NAME_CHARS_MAX),
    cadence,
    target: await target(project),
    prompt,
    ...(budget && { budget }),
    missed: line.text("missed") === "skip" ? "skip" : "latest",
    enabled: !line.has("disabled"),
  });
  const added = schedules.find(({ id }) => !before.has(id));
  if (!added) throw new CliError(EXIT.failed, "The schedule was not added. Try again.", "INTERNAL_ERROR");
  const next = added.nextDueAt === undefined ? "It is disabled." : `Next: ${localTime(added.nextDueAt)}`;
  print(line, { schedule: added }, `Added ${added.id} (${oneLine(added.name)}). ${next}`);
  return EXIT.done;
}

function cadenceOf(line: CommandLine): Cadence {
  const [cron, at, zone] = [line.text("cron"), line.text("at"), line.text("zone")];
  if ((cron === undefined) === (at === undefined))
    throw wrongUsage(line, 'Say when, with either --cron "0 9 * * 1-5" or --at 2026-12-24T18:00.');
  if (cron !== undefined) {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { kind: "cron", cron, zone: zone ?? own };
  }
  if (zone !== undefined)
    throw wrongUsage(line, "--zone is only used with --cron; write the offset into --at: 2026-12-24T18:00+01:00.");
  const time = new Date(at ?? "");
  if (Number.isNaN(time.getTime()))
    throw wrongUsage(line, `"${at}" is not a time. Write it like 2026-12-24T18:00 or 2026-12-24T18:00+01:00.`);
  return { kind: "once", at: time.toISOString() };
}

function budgetOf(line: CommandLine): ScheduleBudget | null {
  const fields = { tokens: line.text("tokens"), cost: line.text("cost"), minutes: line.text("minutes") };
  const given = Object.entries(fields).flatMap(([name, text]) =>
    text === undefined
      ? []
      : [[name === "minutes" ? "workMs" : name, Number(text) * (name === "minutes" ? 60_000 : 1)]],
  );
  if (given.length === 0) return null;
  const { data } = ScheduleBudget.safeParse(Object.fromEntries(given));
  if (!data) throw wrongUsage(line, "--tokens, --cost and --minutes need a number above 0; tokens a whole one.");
  return data;
}

type TargetIn = (project: Project) => Promise<ScheduleTarget>;

async function targetOf(line: CommandLine, link: ServerLink): Promise<TargetIn> {
  const session = line.text("session");
  if (session !== undefined) {
    for (const option of ["agent", "worktree", "permissions"])
      if (line.has(option) || line.text(option) !== undefined)
        throw wrongUsage(line, `--${option} is for a new session, and --session names one that is there.`);
    const sessionId = await findSession(link, session);
    return async () => ({ kind: "session", sessionId });
  }
  const named = line.text("agent");
  const chosen = named === undefined ? null : agentNamed(link, named).id;
  const policy = PermissionMode.safeParse(line.text("permissions")).data;
  return async (project) => ({
    kind: "new",
    cliType: chosen ?? (await lastAgent(link, project)),
    ...(line.has("worktree") && { worktree: true }),
    ...(policy && { policy }),
  });
}

async function schedulesOf(link: ServerLink, { id: projectId }: Project): Promise<readonly Schedule[]> {
  return (await link.ask("schedule:list", { type: "schedule:list", projectId })).schedules;
}

/** By id or name, or a unique beginning of one of these. */
function find(known: readonly Schedule[], wanted: string): Schedule {
  const exact = known.filter(({ id, name }) => id === wanted || name === wanted);
  const matches =
    exact.length > 0 ? exact : known.filter(({ id, name }) => id.startsWith(wanted) || name.startsWith(wanted));
  const [first, ...others] = matches;
  if (first && others.length === 0) return first;
  if (first) {
    const shown = matches.map(({ id, name }) => `\n  ${id}  ${oneLine(name)}`);
    const words = `"${wanted}" matches ${matches.length} schedules. Use the id:${shown.join("")}`;
    throw new CliError(EXIT.failed, words, "SCHEDULE_AMBIGUOUS");
  }
  const words = `No schedule "${wanted}". List schedules with: liminal schedule`;
  throw new CliError(EXIT.failed, words, "SCHEDULE_NOT_FOUND");
}

function runRow({ dueAt, state, sessionId, detail }: ScheduleRun): string[] {
  return [localTime(dueAt), state, sessionId ?? "", oneLine(detail ?? "")];
}

function whenWords(cadence: Cadence): string {
  return cadence.kind === "cron" ? oneLine(`${cadence.cron} (${cadence.zone})`) : `once, ${localTime(cadence.at)}`;
}

function localTime(iso: string | undefined): string {
  return iso === undefined ? "" : new Date(iso).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}
