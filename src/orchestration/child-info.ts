import { z } from "zod";
import type { SessionPause } from "../protocol/conversations.ts";
import type { ChildInfo, ChildOutcome, ChildStatus } from "../protocol/delegation.ts";
import type { Entry } from "../protocol/entry.ts";
import { pauseReason } from "../protocol/limit-words.ts";
import { isPermission } from "../protocol/pending-request.ts";
import type { PendingQuestion } from "../protocol/question.ts";
import type { PendingPermission } from "../protocol/session-parts.ts";
import type { SessionRow, SessionState } from "../protocol/session-schema.ts";
import { cutAt } from "../protocol/shown-text.ts";
import type { StopReason } from "../protocol/stop-reason.ts";

/** Limit for the text of all open requests of an agent. The ids and options that an answer needs are always complete. */
const QUESTIONS_CHARS_MAX = 8_000;
const QUESTION_CHARS_MIN = 500;

/** The part of a session that its status is derived from. */
export interface ChildView {
  readonly row: SessionRow;
  readonly state: SessionState;
  readonly binding: { readonly state: "active" | "idle" | "crashed" | "closed"; readonly cwd: string };
}

interface ChildStanding {
  readonly status: ChildStatus;
  readonly outcome: ChildOutcome;
  readonly why?: string;
}

/** Pure: the status of an agent and the reason, from its session. */
export function childInfo(view: ChildView): ChildInfo {
  const { row, binding } = view;
  const { id: agentId, cliType, createdAt, lastActiveAt, parentId } = row;
  return {
    agentId,
    cliType,
    title: view.state.title,
    ...childStatus(view),
    cwd: binding.cwd,
    createdAt,
    lastActiveAt,
    ...(parentId !== undefined && { parentId }),
  };
}

/** Nothing more happens unless it receives a message. */
export function isSettled({ status }: Pick<ChildInfo, "status">): boolean {
  return status === "idle" || status === "failed" || status === "killed";
}

function childStatus({ row, state, binding }: ChildView): ChildStanding {
  if (binding.state === "closed" || row.archived)
    return { status: "killed", outcome: "killed", why: "It was killed. Create another agent to continue." };
  switch (state.turn.state) {
    case "waiting":
      return { status: "waiting", outcome: "blocked", why: questionsOf(state) };
    case "running":
    case "stalled":
      return { status: binding.state === "active" ? "running" : "starting", outcome: "working" };
    case "idle":
      return state.pause === null ? endOf(state) : limitOf(state.pause);
    default:
      return state.turn.state satisfies never;
  }
}

/** One that continues automatically is awaited; one that does not has failed until it gets a message. */
function limitOf(pause: SessionPause): ChildStanding {
  // As of when it is to continue: the day of that is the day to compare with.
  const why = pauseReason(pause, Date.parse(pause.resumesAt ?? pause.limit.resetsAt ?? ""));
  return pause.resumesAt === null && pause.dueAt === null
    ? { status: "failed", outcome: "failed", why: `${why}. ${pause.limit.text}` }
    : { status: "waiting", outcome: "blocked", why };
}

function endOf({ turn: { stopReason, error } }: SessionState): ChildStanding {
  switch (stopReason) {
    case undefined:
      return { status: "idle", outcome: "none" };
    case "end_turn":
      return { status: "idle", outcome: "done" };
    case "cancelled":
      return error?.code === "LIMIT_EXCEEDED"
        ? { status: "idle", outcome: "limit", why: error.message }
        : { status: "idle", outcome: "cancelled" };
    case "interrupted":
      return { status: "failed", outcome: "interrupted", why: error?.message ?? "Its agent stopped." };
    default:
      return { status: "failed", outcome: "failed", why: error?.message ?? UNHAPPY_ENDS[stopReason] };
  }
}

const UNHAPPY_ENDS: Readonly<Record<Exclude<StopReason, "end_turn" | "cancelled" | "interrupted">, string>> = {
  max_tokens: "It reached the token limit of its model.",
  max_turn_requests: "It reached the request limit of one turn.",
  refusal: "Its model refused to continue.",
  error: "Its turn failed.",
};

/** The open requests, with the ids an answer needs. */
function questionsOf({ pending }: SessionState): string {
  const charsMax = Math.max(QUESTION_CHARS_MIN, Math.floor(QUESTIONS_CHARS_MAX / Math.max(1, pending.length)));
  return pending
    .map((asked) => (isPermission(asked) ? permissionWords(asked, charsMax) : questionWords(asked, charsMax)))
    .join("\n");
}

/** A cut text states that it is incomplete. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const left = text.length - charsMax;
  return `${cutAt(text, charsMax)} [CUT: ${left} more characters. get_agent_output with a range shows up to 8000; the page and "liminal permit" show all]`;
}

function permissionWords({ permissionId, toolCall, options, note }: PendingPermission, charsMax: number): string {
  const choices = options.map(({ optionId, name }) => `${optionId} (${name})`).join(", ");
  const input = toolCall.input === undefined ? "" : ` ${JSON.stringify(toolCall.input)}`;
  const what = cut(`${toolCall.name}${input}`, charsMax);
  return `Permission ${permissionId}: ${what}. Options: ${choices}.${note ? ` ${note}` : ""}`;
}

function questionWords({ elicitationId, message, fields, url }: PendingQuestion, charsMax: number): string {
  const wanted = fields
    .map(({ name, kind, required }) => `${name} (${kind}${required ? ", required" : ""})`)
    .join(", ");
  const what = url === undefined ? `Fields: ${wanted}.` : `It asks the user to open ${url}.`;
  return `Question ${elicitationId}: ${cut(message, charsMax)} ${what}`;
}

const TEXT_CHARS_MAX = 60_000;
const ENTRY_CHARS_MAX = 8_000;

/** A short form of an entry: its kind, its text, and the status of a tool call. */
type SpokenEntry = {
  readonly entryId: string;
  readonly type: Entry["type"];
  readonly text: string;
  readonly status?: string;
};

/** The agent's last message, in full unless it is too long. */
export function lastMessage(entries: readonly Entry[]): string {
  return shorten(entries.findLast(({ type }) => type === "assistant")?.content ?? "", TEXT_CHARS_MAX);
}

export function spoken(entry: Entry): SpokenEntry {
  const { entryId, type } = entry;
  if (entry.type !== "tool-call") return { entryId, type, text: shorten(entry.content, ENTRY_CHARS_MAX) };
  // A call that still runs, or waits for permission, has only its input.
  const input = entry.status === "running" && entry.input !== undefined ? JSON.stringify(entry.input) : "";
  const said = [entry.name, input, entry.result ?? entry.content, entry.error].filter(Boolean).join("\n");
  return { entryId, type, text: shorten(said, ENTRY_CHARS_MAX), status: entry.status };
}

/** Keeps the end, where results are. */
export function shorten(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `… (${text.length - charsMax} characters left out)\n${text.slice(-charsMax)}`;
}

/** `info` as described to callers of the tools. */
export const InfoOutput = z.looseObject({
  agentId: z.string(),
  cliType: z.string(),
  title: z.string(),
  status: z.string(),
  outcome: z.string(),
  why: z.string().optional(),
  cwd: z.string(),
  createdAt: z.string(),
  lastActiveAt: z.string(),
  parentId: z.string().optional(),
});
