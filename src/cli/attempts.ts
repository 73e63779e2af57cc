import { createInterface } from "node:readline/promises";
import { SessionFeed } from "../client/session-feed.ts";
import { ATTEMPTS_MAX, type Attempter } from "../protocol/attempts.ts";
import { cliTypeOf, type SessionId } from "../protocol/ids.ts";
import type { PermissionMode } from "../protocol/permission-policy.ts";
import type { Project } from "../protocol/server-messages.ts";
import { isTurnActive, type SessionRow, type SessionState } from "../protocol/session-schema.ts";
import { turnEndWords } from "../protocol/turn-end-words.ts";
import { agentNamed } from "./agents.ts";
import { type CommandLine, wrongUsage } from "./command-line.ts";
import { CliError, EXIT, type ExitCode } from "./exit-codes.ts";
import { allSessions, findSession, shortId } from "./find-session.ts";
import { print, printNote } from "./print.ts";
import { isWaiting } from "./say.ts";
import { connect, type ServerLink } from "./server-link.ts";
import { oneLine, table, untilInterrupted } from "./terminal.ts";

/** Options of `run` that apply to only one session. */
const NOT_WITH_ATTEMPTS = ["agent", "model", "mode", "worktree", "timeout", "output-schema"] as const;

interface AttemptsRequest {
  readonly project: Project;
  readonly content: string;
  readonly agents: readonly Attempter[];
  readonly policy: PermissionMode | null;
}

/** `liminal run --attempts`: one prompt for several agents, each in its own worktree. */
export async function runAttempts(
  line: CommandLine,
  link: ServerLink,
  { project, content, agents, policy }: AttemptsRequest,
): Promise<ExitCode> {
  const [title, base] = [line.text("title"), line.text("base")];
  const { groupId, sessionIds } = await link.ask("attempts:started", {
    type: "attempts:start",
    projectId: project.id,
    content,
    agents: [...agents],
    ...(title !== undefined && { title }),
    ...(base !== undefined && { base }),
    ...(policy !== null && { policy }),
  });
  if (!isWaiting(line)) {
    const attempts = sessionIds.map((sessionId) => ({ sessionId, status: "sent" }));
    print(line, { groupId, attempts }, sessionIds.map((id) => `${id}\n`).join(""));
    return EXIT.done;
  }
  const ended = await Promise.race([Promise.all(sessionIds.map((id) => untilEnded(link, id))), untilInterrupted()]);
  if (ended === "interrupted") {
    printNote("\nStopped waiting. The attempts keep running. List them with: liminal ls");
    return EXIT.detached;
  }
  const rows = new Map((await allSessions(link, [project])).map((row) => [row.id, row]));
  const attempts = ended.map((one) => ({ ...one, ...figuresOf(rows.get(one.sessionId)) }));
  const cells = attempts.map(({ sessionId, status, files, added, removed, cost }) => [
    shortId(sessionId, [...rows.keys()]),
    cliTypeOf(sessionId),
    status,
    files === 0 ? "no files" : `${files} ${files === 1 ? "file" : "files"} +${added} -${removed}`,
    cost ?? "",
  ]);
  const columns = [
    { title: "SESSION", style: "cyan" },
    { title: "AGENT" },
    { title: "STATE" },
    { title: "CHANGES" },
    { title: "COST" },
  ] as const;
  print(line, { groupId, attempts }, table(columns, cells, line.screen));
  if (!line.json) printNote("Look at one with: liminal diff <session>. Keep one with: liminal keep <session>");
  if (attempts.some(({ status }) => status === "waiting")) return EXIT.blocked;
  return attempts.every(({ status }) => status === "done") ? EXIT.done : EXIT.turnFailed;
}

/** "claude-code,codex,codex=gpt-5": agents, each with a model if one is named. */
export function attemptersOf(line: CommandLine, link: ServerLink): Attempter[] {
  const other = NOT_WITH_ATTEMPTS.find((name) => line.has(name));
  if (other !== undefined) throw wrongUsage(line, `--${other} cannot be combined with --attempts.`);
  const named = (line.text("attempts") ?? "").split(",").map((one) => one.trim());
  const agents = named.filter((one) => one !== "");
  if (agents.length < 2 || agents.length > ATTEMPTS_MAX)
    throw wrongUsage(line, `--attempts needs 2 to ${ATTEMPTS_MAX} agents, separated by commas.`);
  return agents.map((one) => {
    const at = one.indexOf("=");
    const cliType = agentNamed(link, at === -1 ? one : one.slice(0, at)).id;
    const model = at === -1 ? "" : one.slice(at + 1);
    return { cliType, ...(model !== "" && { model }) };
  });
}

interface EndedAttempt {
  readonly sessionId: SessionId;
  readonly status: "done" | "failed" | "cancelled" | "waiting";
  readonly error?: string;
}

/** Its turn is over, or cannot continue without an answer. */
async function untilEnded(link: ServerLink, sessionId: SessionId): Promise<EndedAttempt> {
  const ended = Promise.withResolvers<EndedAttempt>();
  using _feed = new SessionFeed({
    connection: link.connection,
    sessionId,
    onChange: (state) => {
      const end = endOf(state);
      if (end) ended.resolve({ sessionId, ...end });
    },
    onRefused: ({ message, code }) => ended.reject(new CliError(EXIT.failed, message, code)),
  });
  return await Promise.race([ended.promise, link.gone(sessionId)]);
}

function endOf({ turn }: SessionState): Omit<EndedAttempt, "sessionId"> | null {
  if (turn.state === "waiting") return { status: "waiting" };
  if (isTurnActive(turn)) return null;
  if (turn.error) return { status: "failed", error: turn.error.message };
  if (turn.stopReason === undefined) return null;
  if (turn.stopReason === "cancelled") return { status: "cancelled" };
  if (turn.stopReason === "end_turn") return { status: "done" };
  return { status: "failed", error: turnEndWords(turn.stopReason)?.content ?? turn.stopReason };
}

function figuresOf(row: SessionRow | undefined) {
  const { files, added, removed } = row?.changes ?? { files: 0, added: 0, removed: 0 };
  const cost = row?.usage?.cost;
  return { files, added, removed, ...(cost && { cost: `${cost.amount.toFixed(2)} ${cost.currency}` }) };
}

/** Merges one attempt and archives the others. */
export async function keep(line: CommandLine): Promise<ExitCode> {
  using link = await connect(line.env);
  const sessionId = await findSession(link, line.args[0] ?? "");
  const rows = await allSessions(link);
  const row = rows.find(({ id }) => id === sessionId);
  const { attempt } = row ?? {};
  if (!row || !attempt)
    throw new CliError(
      EXIT.failed,
      'This session is not one of several attempts. Start some with: liminal run --attempts <agents> "…"',
      "INVALID_MESSAGE",
    );
  const others = rows.filter(
    ({ id, attempt: other, archived }) => id !== sessionId && other?.groupId === attempt.groupId && !archived,
  );
  if (!line.has("yes") && !(await isConfirmed(line, row, others.length))) return EXIT.failed;
  const into = line.text("into");
  const kept = await link.ask("attempts:kept", {
    type: "attempts:keep",
    sessionId,
    message: line.text("message") ?? row.title,
    ...(into !== undefined && { into }),
  });
  const { commit, left } = kept;
  const merged = commit === undefined ? "It changed nothing, so nothing was merged." : `Merged: ${commit}`;
  print(line, { sessionId, into: kept.into, ...(commit !== undefined && { commit }), left }, `${merged}\n`);
  for (const { sessionId: id, reason } of left) printNote(`${id} was not put away: ${reason}`);
  return left.length === 0 ? EXIT.done : EXIT.failed;
}

async function isConfirmed(line: CommandLine, { title }: SessionRow, others: number): Promise<boolean> {
  const words = `Commits what is uncommitted in “${oneLine(title)}”, merges its branch, and puts ${others} other ${others === 1 ? "attempt" : "attempts"} away. They can be brought back.`;
  if (line.json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new CliError(EXIT.failed, `${words} Nothing was done. To do it, add --yes.`, "CONSENT_REQUIRED");
  printNote(words);
  const reading = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await reading.question("Go on? [y/N] ")).trim());
  } finally {
    reading.close();
  }
}
