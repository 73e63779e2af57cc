import { wordsOf } from "../lib/words-of.ts";
import type { AgentEvent } from "../ports/agents.ts";
import type { Said } from "../ports/session-log.ts";

/** One message of the user and what the agent made of it, as the agent remembers it. */
export interface HeardTurn {
  readonly message: string;
  readonly answer: string;
  readonly events: readonly AgentEvent[];
}

export interface Comparison {
  /** Turns that are not ours, after the last one that is: the conversation went on elsewhere. */
  readonly news: readonly HeardTurn[];
  /** Messages of ours that the agent does not remember. */
  readonly forgotten: number;
  /** It remembers something in the place of ours, and nobody can tell which came when. */
  readonly differs: boolean;
}

type Turn = Pick<HeardTurn, "message" | "answer">;

/** Context and results that some agents keep among the user's words: nobody typed these. */
const MADE_BY_MACHINE = /^<([\w-]+)>.*<\/\1>$|^\[FunctionResponse:[^\]]*\]$/s;
/** Shorter messages are found in others by chance. */
const CONTAINED_CHARS_MIN = 12;

/** What the agent remembers beside what was said here. Only words are compared: spaces and tools differ everywhere. */
export function compareReplay(said: readonly Said[], events: readonly AgentEvent[], whole: boolean): Comparison {
  const ours = turnsSaid(said);
  const heard = turnsHeard(events);
  // Some agents repeat nothing, whatever they remember.
  if (heard.length === 0) return { news: [], forgotten: 0, differs: false };
  const start = whole ? commonStart(ours, heard) : 0;
  const left = ours.slice(start);
  const more = heard.slice(start);
  const differs = ours.slice(0, start).some((turn, index) => !answersAgree(turn, heard[index]));
  if (left.length === 0) return { news: withoutRepeats(more, ours.at(-1)), forgotten: 0, differs };
  const anchor = findLast(left, more);
  if (!anchor) return { news: [], forgotten: left.length, differs: differs || more.length > 0 };
  const news = withoutRepeats(more.slice(anchor.index + 1), ours.at(-1));
  return { news, forgotten: whole ? left.length - anchor.length : 0, differs };
}

function turnsSaid(said: readonly Said[]): Turn[] {
  const turns: { message: string; answer: string }[] = [];
  for (const { type, content } of said) {
    const last = turns.at(-1);
    if (type === "user") turns.push({ message: wordsOf(content), answer: "" });
    else if (type === "assistant" && last) last.answer += wordsOf(content);
  }
  return turns;
}

function turnsHeard(events: readonly AgentEvent[]): HeardTurn[] {
  const turns: { message: string; answer: string; events: AgentEvent[] }[] = [];
  let before: AgentEvent | null = null;
  for (const event of withoutMachineWords(events)) {
    if (startsTurn(event, before)) turns.push({ message: "", answer: "", events: [] });
    before = event;
    const turn = turns.at(-1);
    if (!turn) continue;
    turn.events.push(event);
    if (event.type !== "text") continue;
    if (event.kind === "user") turn.message += wordsOf(event.text);
    if (event.kind === "assistant") turn.answer += wordsOf(event.text);
  }
  return turns;
}

function withoutMachineWords(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return events.filter(
    (event) => !(isUser(event) && event.type === "text" && MADE_BY_MACHINE.test(wordsOf(event.text))),
  );
}

export function isUser(event: AgentEvent | null): boolean {
  return (event?.type === "text" || event?.type === "part") && event.kind === "user";
}

/** Pieces of one message follow each other; another id is another message. */
function startsTurn(event: AgentEvent, before: AgentEvent | null): boolean {
  if (!isUser(event)) return false;
  if (!isUser(before) || event.type !== "text" || before?.type !== "text") return !isUser(before);
  return event.messageId !== undefined && before.messageId !== undefined && event.messageId !== before.messageId;
}

function commonStart(ours: readonly Turn[], heard: readonly Turn[]): number {
  const end = ours.findIndex((turn, index) => !isSameMessage(turn, heard[index]));
  return end === -1 ? ours.length : end;
}

function isSameMessage(ours: Turn, heard: Turn | undefined): boolean {
  if (!heard) return false;
  if (ours.message === heard.message) return true;
  // With files and images around it, or with one before it that got no answer, the message is still in there.
  return ours.message.length >= CONTAINED_CHARS_MIN && heard.message.includes(ours.message);
}

/** One may have heard less than the other: a turn that was stopped, a text that was streamed twice. */
function answersAgree(ours: Turn, heard: Turn | undefined): boolean {
  return !heard || ours.answer.includes(heard.answer) || heard.answer.includes(ours.answer);
}

/** Where the last of ours stands among what was heard, with as many of ours as possible right before it. */
function findLast(ours: readonly Turn[], heard: readonly Turn[]): { index: number; length: number } | null {
  let best: { index: number; length: number } | null = null;
  for (let index = 0; index < heard.length; index++) {
    let length = 0;
    for (let turn = ours.at(-1); turn && isSameMessage(turn, heard[index - length]); turn = ours.at(-1 - length))
      length++;
    if (length > (best?.length ?? 0)) best = { index, length };
  }
  return best;
}

/** A message that was sent a second time, after a failure, is remembered twice and stands here once. */
function withoutRepeats(news: readonly HeardTurn[], last: Turn | undefined): readonly HeardTurn[] {
  if (!last) return news;
  const first = news.findIndex((turn) => !isRepeat(turn, last));
  return first === -1 ? [] : news.slice(first);
}

function isRepeat(turn: Turn, last: Turn): boolean {
  if (turn.answer !== "" && turn.answer === last.answer) return true;
  return turn.message === last.message && answersAgree(last, turn);
}
