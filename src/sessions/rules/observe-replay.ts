import { normalizeForComparison } from "../../lib/normalize-for-comparison.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import type { Said } from "../../ports/session-log.ts";
import { isPackUri, withoutPack } from "../../protocol/conversation-pack.ts";
import { type Entry, isTextEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId, TurnId } from "../../protocol/ids.ts";
import { reduceSession } from "../../protocol/reduce-session.ts";
import { EMPTY_SESSION, isTurnActive, type SessionState } from "../../protocol/session-schema.ts";
import { EMPTY_REGISTER } from "./open-requests.ts";
import type { Outcome, SessionContext } from "./session-context.ts";
import { endTurn } from "./turn.ts";

type Replayed = Extract<AgentEvent, { type: "replayed" }>;
type Observe = (context: SessionContext, event: AgentEvent) => Outcome;

/**
 * A replay repeats what we already have, so nothing of it is shown again. Turns after ours, because the
 * user continued elsewhere, are adopted; if the agent remembers less or something else, ours stays and a notice
 * explains it.
 */
export function observeReplay(context: SessionContext, { events, whole }: Replayed, observe: Observe): FactBody[] {
  const said = context.said();
  const { news, forgotten, differs } = compareReplay(said, events, whole);
  const known = new Set(said.filter(({ type }) => type === "notice").map(({ content }) => content));
  const notices = [forgotten > 0 ? forgottenWords(forgotten) : null, differs ? DIFFERS : null]
    .filter((content) => content !== null)
    .filter((content) => !known.has(content));
  const before = openedBy(context.state);
  const place = before ? { before: before.entryId } : {};
  return [
    ...news
      .flatMap((turn) => adopt(context, turn, observe, said.length > 0))
      .flatMap((entry) => entryFacts(entry, place)),
    ...notices.slice(0, 1).map((content): FactBody => ({ type: "session:update", entry: notice(context, content) })),
  ];
}

const DIFFERS =
  "The agent's own history of this conversation differs from this transcript. The transcript is unchanged. Tell the agent what it needs to know.";

function forgottenWords(count: number): string {
  return `The agent's own history lacks ${count} of your messages. Repeat what it needs to know.`;
}

/** The message that is waiting for this agent: adopted turns are placed before it. */
function openedBy({ turn, open }: SessionState): Entry | undefined {
  return isTurnActive(turn) ? open.find(({ turnId }) => turnId === turn.turnId) : undefined;
}

function entryFacts(entry: Entry, place: { before?: EntryId }): FactBody[] {
  const update: FactBody = { type: "session:update", entry, ...place };
  return isTextEntry(entry) ? [update, { type: "session:complete", entryId: entry.entryId }] : [update];
}

/** Replayed as the turn it was, apart from this session's own state, so that all rules for live events apply. */
function adopt(context: SessionContext, turn: ReplayedTurn, observe: Observe, isElsewhere: boolean): readonly Entry[] {
  const turnId = TurnId.parse(context.newId());
  let state: SessionState = { ...EMPTY_SESSION, turn: { state: "running", turnId, startedAt: context.now } };
  const fold = (facts: readonly FactBody[]) => {
    for (const fact of facts) state = reduceSession(state, { ...fact, seq: state.seq + 1 });
  };
  const apart = (): SessionContext => ({
    ...context,
    state,
    cancelling: null,
    requests: EMPTY_REGISTER,
    lastSettled: null,
    settledByAgentId: () => null,
  });
  const asked = userEntry(context, turn, turnId, isElsewhere);
  fold([{ type: "session:update", entry: asked }]);
  for (const event of turn.events) if (!isUser(event)) fold(observe(apart(), event).facts);
  fold(endTurn(apart(), "end_turn").facts);
  return state.settled;
}

/** `isElsewhere`: the conversation began here, so the user sees which turns did not. */
function userEntry(context: SessionContext, { events }: ReplayedTurn, turnId: TurnId, isElsewhere: boolean): Entry {
  const said = events.filter(isUser);
  const content = said.map((event) => (event.type === "text" ? event.text : "")).join("");
  const attachments = said.flatMap((event) => (event.type === "part" ? [event.part] : []));
  return {
    type: "user",
    entryId: EntryId.parse(context.newId()),
    turnId,
    content,
    ...(isElsewhere && { author: "terminal" as const }),
    ...(attachments.length > 0 && { attachments }),
    timestamp: context.now,
  };
}

function notice(context: SessionContext, content: string): Entry {
  const { turn } = context.state;
  const turnId = isTurnActive(turn) ? turn.turnId : undefined;
  return {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    ...(turnId && { turnId }),
    severity: "info",
    content,
    timestamp: context.now,
  };
}

/** One user message and the agent's answer, as the agent replayed them. */
interface ReplayedTurn {
  readonly message: string;
  readonly answer: string;
  readonly events: readonly AgentEvent[];
}

interface Comparison {
  /** Replayed turns after our last one: the conversation continued elsewhere. */
  readonly news: readonly ReplayedTurn[];
  /** Our messages that the agent does not remember. */
  readonly forgotten: number;
  /** It remembers something else in place of ours, so the order is unknown. */
  readonly differs: boolean;
}

type Turn = Pick<ReplayedTurn, "message" | "answer">;

/** Context and results that some agents store as messages: nobody typed these. */
const MADE_BY_MACHINE = /^<([\w-]+)>.*<\/\1>$|^\[Function(?:Call|Response):[^\]]*\]$/s;
const THOUGHT_MARK = /^\[Thought: true\]/;
/** Shorter messages are found in others by chance. */
const CONTAINED_CHARS_MIN = 12;
/** Limit of turns that are aligned after the common beginning; older ones count as remembered. */
const TURNS_ALIGNED_MAX = 1_500;

/** Compares the agent's replay with our log. Only text is compared, because white space and tools always differ. */
function compareReplay(said: readonly Said[], events: readonly AgentEvent[], whole: boolean): Comparison {
  const ours = storedTurns(said);
  const replayed = replayedTurns(events);
  // Some agents replay nothing, whatever they remember.
  if (replayed.length === 0) return { news: [], forgotten: 0, differs: false };
  const start = whole ? commonStart(ours, replayed) : 0;
  const left = ours.slice(start).slice(-TURNS_ALIGNED_MAX);
  const more = replayed.slice(start).slice(-TURNS_ALIGNED_MAX);
  const pairs = align(left, more);
  const differs =
    ours.slice(0, start).some((turn, index) => !answersAgree(turn, replayed[index])) ||
    pairs.some(([one, other]) => !answersAgree(left[one], more[other]));
  const forgotten = whole ? left.length - pairs.length : 0;
  const last = pairs.at(-1);
  // A turn after a message that the agent has lost may have replaced it.
  const isPlaced = left.length === 0 || last?.[0] === left.length - 1;
  return { news: isPlaced ? withoutRepeats(more.slice((last?.[1] ?? -1) + 1), ours.at(-1)) : [], forgotten, differs };
}

function storedTurns(said: readonly Said[]): Turn[] {
  const turns: { message: string; answer: string }[] = [];
  for (const { type, content } of said) {
    const last = turns.at(-1);
    if (type === "user") turns.push({ message: normalizeForComparison(content), answer: "" });
    else if (type === "assistant" && last) last.answer += normalizeForComparison(content);
  }
  return turns;
}

function replayedTurns(events: readonly AgentEvent[]): ReplayedTurn[] {
  const turns: { message: string; answer: string; events: AgentEvent[] }[] = [];
  let before: AgentEvent | null = null;
  for (const event of events.flatMap(withoutMachineWords)) {
    if (startsTurn(event, before)) turns.push({ message: "", answer: "", events: [] });
    before = event;
    const turn = turns.at(-1);
    if (!turn) continue;
    turn.events.push(event);
    if (event.type !== "text" || event.parentToolCallId !== undefined) continue;
    if (event.kind === "user") turn.message += normalizeForComparison(event.text);
    if (event.kind === "assistant") turn.answer += normalizeForComparison(event.text);
  }
  return turns;
}

function withoutMachineWords(event: AgentEvent): AgentEvent[] {
  if (event.type === "part" && isUser(event) && event.part.type === "resource" && isPackUri(event.part.uri)) return [];
  if (event.type !== "text") return [event];
  const own = event.kind === "user" ? withoutPack(event.text) : event.text;
  // Text that we sent to the agent with a message is not the user's.
  if (own !== event.text) return own.trim() === "" ? [] : withoutMachineWords({ ...event, text: own });
  if (MADE_BY_MACHINE.test(normalizeForComparison(event.text))) return [];
  return [event.kind === "assistant" ? { ...event, text: event.text.replace(THOUGHT_MARK, "") } : event];
}

function isUser(event: AgentEvent | null): boolean {
  const isMessage = event?.type === "text" || event?.type === "part";
  // A prompt for a sub-agent is not a message of the user.
  return isMessage && event.kind === "user" && event.parentToolCallId === undefined;
}

/** Replays do not split messages into small pieces: without a common id, a text is a message of its own. */
function startsTurn(event: AgentEvent, before: AgentEvent | null): boolean {
  if (!isUser(event)) return false;
  if (!isUser(before)) return true;
  if (event.type !== "text" || before?.type !== "text") return false;
  return event.messageId === undefined || event.messageId !== before.messageId;
}

function commonStart(ours: readonly Turn[], replayed: readonly Turn[]): number {
  const end = ours.findIndex((turn, index) => !isSameMessage(turn, replayed[index]));
  return end === -1 ? ours.length : end;
}

function isSameMessage(ours: Turn | undefined, replayed: Turn | undefined): boolean {
  if (!ours || !replayed) return false;
  if (ours.message === replayed.message) return true;
  // With files and images around it, the message is still contained.
  return ours.message.length >= CONTAINED_CHARS_MIN && replayed.message.includes(ours.message);
}

/** One side may have less: a turn that was stopped, a text that was streamed twice. */
function answersAgree(ours: Turn | undefined, replayed: Turn | undefined): boolean {
  if (!ours || !replayed) return true;
  return ours.answer.includes(replayed.answer) || replayed.answer.includes(ours.answer);
}

/** Matches our turns to replayed ones: as many as possible, in order, each as early as possible. */
function align(ours: readonly Turn[], replayed: readonly Turn[]): (readonly [number, number])[] {
  const width = replayed.length + 1;
  /** How many can be matched from each position on. */
  const most = new Uint16Array((ours.length + 1) * width);
  const at = (one: number, other: number) => most[one * width + other] ?? 0;
  for (let one = ours.length - 1; one >= 0; one--)
    for (let other = replayed.length - 1; other >= 0; other--) {
      const paired = isSameMessage(ours[one], replayed[other]) ? at(one + 1, other + 1) + 1 : 0;
      most[one * width + other] = Math.max(paired, at(one + 1, other), at(one, other + 1));
    }
  const pairs: (readonly [number, number])[] = [];
  for (let one = 0, other = 0; one < ours.length && other < replayed.length; ) {
    // Taking two that match never prevents a longer alignment.
    if (isSameMessage(ours[one], replayed[other])) pairs.push([one++, other++]);
    else if (at(one, other) === at(one + 1, other)) one++;
    else other++;
  }
  return pairs;
}

/** A message that was sent again after a failure is remembered twice and stored once. */
function withoutRepeats(news: readonly ReplayedTurn[], last: Turn | undefined): readonly ReplayedTurn[] {
  if (!last) return news;
  const first = news.findIndex((turn) => !isRepeat(turn, last));
  return first === -1 ? [] : news.slice(first);
}

function isRepeat(turn: Turn, last: Turn): boolean {
  if (turn.answer !== "" && turn.answer === last.answer) return true;
  return turn.message === last.message && answersAgree(last, turn);
}
