import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { splitPlace } from "../protocol/place-path.ts";
import type { Project } from "../protocol/server-messages.ts";
import type { Worktree } from "../protocol/worktrees.ts";
import { type CommandLine, wrongSubcommand } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findProject } from "./find-project.ts";
import { print } from "./print.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { type Column, CUT, oneLine, type Style, table } from "./terminal.ts";

const VERBS = ["list", "remove", "return", "purge"] as const;
const STATUS_STYLES: Readonly<Record<Worktree["status"], Style>> = {
  making: "yellow",
  ready: "green",
  missing: "red",
  removed: "dim",
  stuck: "red",
};
/** A directory is meant to be copied: it is never cut. */
const COLUMNS: readonly Column[] = [
  { title: "NAME", style: "cyan" },
  { title: "STATE", style: (status) => STATUS_STYLES[status as Worktree["status"]] },
  { title: "BRANCH", ...CUT },
  { title: "WORK", ...CUT },
  { title: "SESSIONS" },
  { title: "DIRECTORY" },
];
const CANDIDATES_SHOWN_MAX = 5;

/** Lists the worktrees of a project, and changes one. */
export async function worktrees(line: CommandLine): Promise<ExitCode> {
  const [verb = "list", wanted] = line.args;
  if (!VERBS.some((one) => one === verb) || (verb === "list") !== (wanted === undefined))
    throw wrongSubcommand(line, VERBS);
  using link = await connect(line.env);
  const { project, worktrees: known } = await listWorktrees(line, link);
  if (wanted === undefined) {
    const rows = known.map((one) => [
      oneLine(one.name),
      one.status,
      oneLine(one.branch ?? "(no branch)"),
      workOf(one),
      String(one.sessionIds.length),
      oneLine(one.path),
    ]);
    const none = `${project.name} has no worktrees. Start a session in one with: liminal run --worktree "…"`;
    print(
      line,
      { projectId: project.id, worktrees: known },
      rows.length > 0 ? table(COLUMNS, rows, line.screen) : none,
    );
    return EXIT.done;
  }
  const { worktreeId, name, path } = findWorktree(known, wanted);
  const result = { worktreeId, name };
  if (verb === "remove") {
    await link.act({ type: "worktree:remove", worktreeId });
    const back = `liminal worktrees return ${name}`;
    print(
      line,
      { ...result, status: "removed" },
      `Removed ${name}. Everything in it is kept. To bring it back: ${back}`,
    );
  } else if (verb === "return") {
    await link.act({ type: "worktree:return", worktreeId });
    print(line, { ...result, status: "returned" }, `${name} is back.`);
  } else if (line.has("yes")) {
    await link.act({ type: "worktree:purge", worktreeId, name });
    print(line, { ...result, status: "purged" }, `Deleted ${name} for good.`);
  } else {
    const told = `Nothing was deleted. To delete ${oneLine(path)} for good, add --yes.`;
    print(line, { ...result, status: "preview" }, told);
  }
  return EXIT.done;
}

/** Of the project that is named, or that the current directory is in: itself or one of its worktrees. */
export async function listWorktrees(
  line: CommandLine,
  link: ServerLink,
): Promise<{ readonly project: Project; readonly worktrees: readonly Worktree[]; readonly here: Worktree | null }> {
  const named = line.text("project");
  const here = realpathSync(process.cwd());
  const isIn = (path: string) => here === path || here.startsWith(`${path}${sep}`);
  const ask = async (project: Project) =>
    (await link.ask("worktree:list", { type: "worktree:list", projectId: project.id })).worktrees;
  const own = named === undefined ? link.hello.projects.find(({ path }) => isIn(path)) : findProject(link, named);
  // The directories of a place are on another machine, which may be away.
  const local = link.hello.projects.filter(({ path }) => splitPlace(path) === null);
  for (const project of own ? [own] : local) {
    const found = await ask(project);
    const around = found.find(({ path }) => isIn(path)) ?? null;
    if (own || around) return { project, worktrees: found, here: around };
  }
  const project = findProject(link, here);
  return { project, worktrees: await ask(project), here: null };
}

/**
 * The worktree of ours that the current directory is in, with its project: what is started there works in it. Null where
 * the directory is a project itself, or in none.
 */
export async function worktreeHere(link: ServerLink): Promise<{ project: Project; worktree: Worktree } | null> {
  const here = realpathSync(process.cwd());
  const projects = link.hello.projects.filter(({ path }) => splitPlace(path) === null);
  if (projects.some(({ path }) => path === here)) return null;
  for (const project of projects) {
    const { worktrees: known } = await link.ask("worktree:list", { type: "worktree:list", projectId: project.id });
    const isAround = ({ path }: Worktree) => here === path || here.startsWith(`${path}${sep}`);
    const worktree = known.find((one) => one.isOurs && one.status === "ready" && isAround(one));
    if (worktree) return { project, worktree };
  }
  return null;
}

/** By name, branch or id, or a unique beginning of one of these. */
export function findWorktree(known: readonly Worktree[], wanted: string): Worktree {
  const keys = ({ worktreeId, name, branch }: Worktree) => [name, branch ?? name, worktreeId];
  const exact = known.filter((one) => keys(one).includes(wanted));
  const matches = exact.length > 0 ? exact : known.filter((one) => keys(one).some((key) => key.startsWith(wanted)));
  const [first, ...others] = matches;
  if (first && others.length === 0) return first;
  if (first) {
    const shown = matches.slice(0, CANDIDATES_SHOWN_MAX).map(({ name, path }) => `\n  ${name}  ${path}`);
    const words = `"${wanted}" matches ${matches.length} worktrees. Type more of the name:${shown.join("")}`;
    throw new CliError(EXIT.failed, words, "WORKTREE_AMBIGUOUS");
  }
  const words = `No worktree "${wanted}". List worktrees with: liminal worktrees`;
  throw new CliError(EXIT.failed, words, "WORKTREE_NOT_FOUND");
}

/** What would be lost with it; empty before the first check. */
function workOf({ facts, radar, problem }: Worktree): string {
  const counted = (count: number | null, words: string) => (count === null || count === 0 ? [] : [`${count} ${words}`]);
  const found = [
    ...counted(facts.uncommittedFiles, "uncommitted"),
    ...counted(facts.aheadCommits, "ahead"),
    ...counted(facts.behindCommits, "behind"),
    ...(radar.overlaps.some(({ kind }) => kind === "conflict") ? ["conflicts"] : []),
    ...(problem === undefined ? [] : [oneLine(problem)]),
  ];
  return found.length > 0 ? found.join(", ") : facts.lookedAt === null ? "" : "clean";
}
