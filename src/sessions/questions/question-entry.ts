import type { NoticeEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import type {
  AnswerContent,
  AnswerValue,
  PendingQuestion,
  QuestionAction,
  QuestionEnd,
} from "../../protocol/question.ts";
import type { SessionState } from "../../protocol/session-state.ts";

const ANSWER_SHOWN_CHARS_MAX = 2_000;

/** What came of a question; `done` is said of a page the user had agreed to open. */
export interface Resolution {
  readonly action: QuestionAction;
  readonly end?: QuestionEnd;
  readonly content?: AnswerContent;
  readonly done?: true;
}

/** The question as the transcript keeps it: what was asked, and once it is over, what came of it. */
export function questionEntry(state: SessionState, asked: PendingQuestion, resolution: Resolution | null): FactBody {
  const entryId = asked.entryId ?? EntryId.parse(asked.elicitationId);
  const entry: NoticeEntry = {
    type: "notice",
    entryId,
    ...(asked.turnId !== undefined && { turnId: asked.turnId }),
    severity: "info",
    content: [`Question: ${subjectOf(asked)}`, ...(resolution ? outcomeLines(asked, resolution) : [])].join("\n"),
    timestamp: asked.askedAt,
  };
  const isOver = resolution !== null && !state.open.some((open) => open.entryId === entryId);
  return { type: "session:update", entry, ...(isOver && { late: true as const }) };
}

function subjectOf({ message, title, url }: PendingQuestion): string {
  const words = message.trim() || title?.trim() || "the agent wants to know something.";
  return url === undefined ? words : `${words}\n${url}`;
}

function outcomeLines(asked: PendingQuestion, resolution: Resolution): string[] {
  const { action, end, content, done } = resolution;
  if (end === "unwatched") return ["Declined: nobody was here to answer."];
  if (end === "withdrawn") return ["The agent took it back."];
  if (end === "stopped") return ["Cancelled."];
  if (asked.mode === "url") return [pageWords(action, done)];
  if (action === "decline") return ["You declined to answer."];
  if (action === "cancel") return ["You dismissed it."];
  const lines = asked.fields.flatMap((field) => {
    const value = content?.[field.name];
    return value === undefined ? [] : [`${field.label}: ${valueWords(asked, field.name, value)}`];
  });
  return lines.length > 0 ? lines : ["You answered without filling anything in."];
}

function pageWords(action: QuestionAction, done: true | undefined): string {
  if (action === "accept") return done ? "You opened the page, and the agent is done with it." : "You opened the page.";
  if (done) return "The agent no longer needs the page.";
  return action === "decline" ? "You declined to open the page." : "You dismissed it.";
}

function valueWords({ fields }: PendingQuestion, name: string, value: AnswerValue): string {
  const field = fields.find((one) => one.name === name);
  const options = field && "options" in field ? field.options : [];
  const words = (one: string | number | boolean) =>
    options.find((option) => option.value === one)?.label ?? String(one);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(words).join(", ");
  if (typeof value === "boolean" && field?.kind === "boolean") return value ? "yes" : "no";
  const text = words(value);
  return text.length > ANSWER_SHOWN_CHARS_MAX ? `${text.slice(0, ANSWER_SHOWN_CHARS_MAX)}…` : text;
}
