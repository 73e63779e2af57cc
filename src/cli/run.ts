import { readFileSync } from "node:fs";
import { SessionFeed } from "../client/session-feed.ts";
import { afterTimeout } from "../lib/absence-watch.ts";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import { type CliType, cliTypeOf, type SessionId } from "../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../protocol/limits.ts";
import { PermissionMode } from "../protocol/permission-policy.ts";
import type { Project } from "../protocol/server-messages.ts";
import type { ConfigOption } from "../protocol/session-parts.ts";
import type { SessionRow } from "../protocol/session-schema.ts";
import type { NewWorktree } from "../protocol/worktrees.ts";
import { agentNamed } from "./agents.ts";
import { attemptersOf, runAttempts } from "./attempts.ts";
import { type CommandLine, suggestion, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { findOrAddProject } from "./find-project.ts";
import { allSessions } from "./find-session.ts";
import { printNote } from "./print.ts";
import { isWaiting, messageOf, say, timeoutMsOf } from "./say.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { worktreeHere } from "./worktrees.ts";

const AGENT_DEFAULT = "builtin";
/** An agent that has not reported its options by then has none. */
const OPTIONS_MS_MAX = 90_000;

/** Starts a session and sends its first message. */
export async function run(line: CommandLine): Promise<ExitCode> {
  const mode = modeOf(line);
  const schema = schemaOf(line);
  const wanted = worktreeOf(line);
  timeoutMsOf(line);
  const prompt = await messageOf(line, line.args);
  const worktree = wanted && { ...wanted, about: prompt.slice(0, TITLE_CHARS_MAX) };
  const content = schema === null ? prompt : `${prompt}\n\n${schemaWords(schema)}`;
  using link = await connect(line.env);
  const named = line.text("agent");
  if (named !== undefined) agentNamed(link, named);
  const attempters = line.has("attempts") ? attemptersOf(line, link) : null;
  const here = line.text("project") === undefined ? await worktreeHere(link) : null;
  // After all that can be wrong without it: a refused command adds no project.
  const project = here?.project ?? (await findOrAddProject(link, line.text("project") ?? process.cwd()));
  if (attempters !== null) return await runAttempts(line, link, { project, content, agents: attempters, policy: mode });
  const cliType = named === undefined ? await lastAgent(link, project) : agentNamed(link, named).id;
  const title = line.text("title");
  const { session } = await link.ask("session:created", {
    type: "session:create",
    projectId: project.id,
    cliType,
    ...(title !== undefined && { title }),
    ...(worktree !== null && { worktree: { create: worktree } }),
    ...(worktree === null && here !== null && { worktree: { worktreeId: here.worktree.worktreeId } }),
  });
  const sessionId = session.id;
  try {
    if (mode !== null) await link.act({ type: "policy:set", scope: "session", sessionId, mode });
    await choose(line, link, sessionId);
  } catch (error) {
    await takeBack(link, session, worktree !== null).catch(ignore("the session stays, as with a lost connection"));
    throw error;
  }
  if (isWaiting(line) && !line.json) printNote(`Session ${sessionId}`);
  return await say(line, link, sessionId, content, schema);
}

/** Nothing was said in it, and nobody asked for an empty session: it goes, with the worktree that was made for it. */
async function takeBack(
  link: ServerLink,
  { id: sessionId, worktree }: SessionRow,
  hasMadeWorktree: boolean,
): Promise<void> {
  await link.act({ type: "session:delete", sessionId });
  if (worktree === null || !hasMadeWorktree) return;
  const { worktreeId, name } = worktree;
  await link.act({ type: "worktree:remove", worktreeId });
  await link.act({ type: "worktree:purge", worktreeId, name });
}

/** Null: it works in the project's own directory. */
function worktreeOf(line: CommandLine): NewWorktree | null {
  const base = line.text("base");
  if (!line.has("worktree")) {
    // Attempts have a worktree each.
    if (line.has("attempts")) return null;
    if (base !== undefined) throw wrongUsage(line, "--base is only used with --worktree.");
    return null;
  }
  const branch = line.text("worktree");
  return { ...(branch && { branch }), ...(base !== undefined && { base }) };
}

/** The agent used last in the project, if it still exists. */
export async function lastAgent(link: ServerLink, project: Project): Promise<CliType> {
  const sessions = await allSessions(link, [project]);
  const used = sessions.filter(({ parentId }) => parentId === undefined).map(({ id }) => cliTypeOf(id));
  const isHere = (id: CliType) => link.hello.agents.some((agent) => agent.id === id && agent.availability === "ready");
  return used.find(isHere) ?? agentNamed(link, AGENT_DEFAULT).id;
}

/** Sets the model and the mode, by the agent's names. */
async function choose(line: CommandLine, link: ServerLink, sessionId: SessionId): Promise<void> {
  for (const category of ["model", "mode"] as const) {
    const wanted = line.text(category);
    if (wanted === undefined) continue;
    const option = await optionOf(link, sessionId, category);
    const values = option.options.flatMap((one) => ("options" in one ? one.options : [one]));
    const meant = wanted.toLowerCase();
    const found =
      values.find(({ value }) => value === wanted) ??
      values.find(({ value, name }) => value.toLowerCase() === meant || name.toLowerCase() === meant);
    if (!found) {
      const known = values.map(({ value }) => value);
      const words = `Unknown ${category} "${wanted}".${suggestion(wanted, known)} Choose one of: ${known.join(", ")}.`;
      throw new CliError(EXIT.failed, words, "CONFIG_UNKNOWN");
    }
    await link.act({ type: "session:configure", sessionId, configId: option.id, value: found.value });
  }
}

type Select = Extract<ConfigOption, { type: "select" }>;

/** Known once the agent has started. */
async function optionOf(link: ServerLink, sessionId: SessionId, category: "model" | "mode"): Promise<Select> {
  const known = Promise.withResolvers<Select>();
  using _feed = new SessionFeed({
    connection: link.connection,
    sessionId,
    onChange: ({ config }) => {
      const selects = config.options.filter((option) => option.type === "select");
      const option = selects.find((one) => one.category === category) ?? selects.find(({ id }) => id === category);
      if (option) known.resolve(option);
      else if (config.options.length > 0) known.reject(noChoice(category));
    },
    onRefused: ({ message, code }) => known.reject(new CliError(EXIT.failed, message, code)),
  });
  const cancel = afterTimeout(OPTIONS_MS_MAX, () => known.reject(noChoice(category)));
  try {
    return await Promise.race([known.promise, link.gone(sessionId)]);
  } finally {
    cancel();
  }
}

function noChoice(category: string): CliError {
  return new CliError(
    EXIT.failed,
    `This agent does not support choosing a ${category}. Omit --${category}.`,
    "CONFIG_UNKNOWN",
  );
}

function modeOf(line: CommandLine): PermissionMode | null {
  const wanted = line.text("permissions");
  return wanted === undefined ? null : PermissionMode.parse(wanted);
}

/** The JSON Schema of --output-schema; null without one. */
function schemaOf(line: CommandLine): object | null {
  const file = line.text("output-schema");
  if (file === undefined) return null;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrongUsage(line, `Cannot read --output-schema (${why}).`);
  }
  const schema = parseJson(text);
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return schema;
  throw wrongUsage(line, `--output-schema: ${file} does not contain a JSON Schema (a JSON object).`);
}

function schemaWords(schema: object): string {
  return `Answer with JSON alone, without any other text, that matches this JSON Schema:\n${JSON.stringify(schema)}`;
}
