import type { Entry } from "../../../src/protocol/entry.ts";
import { reduceSession } from "../../../src/protocol/reduce-session.ts";
import { FactMessage } from "../../../src/protocol/server-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-schema.ts";
import type { Invariant } from "../invariants/invariant.ts";
import { differenceOf } from "../scene/state-difference.ts";
import type { AgentTurn, HistoryEvent, LoggedFact, Outcome } from "./history.ts";

export interface HistoryBreach {
  readonly kind: Invariant["breach"];
  readonly what: string;
}

/** A session as its log tells it. */
interface Told {
  readonly facts: ReadonlyMap<number, string>;
  readonly last: number;
  readonly state: SessionState;
  /** How turns ended, by the turn's id. */
  readonly ends: ReadonlyMap<string, string>;
}

/** Prompts of a run name their turn so. */
const PROMPT = /^#(\d+) /;
const SHOWN_CHARS = 160;

/**
 * Judges one run by what its clients wrote down, its logs and the agents' own record. Pure.
 *
 * - The log of a session has one order, without gaps, in which nothing is twice.
 * - What was acknowledged is in it once; what was refused is not; what nobody asked for is not.
 * - No reader went back or missed a fact, and each saw exactly what the log has.
 * - What agents got and said, by their own word, is what the log has: each prompt once, in order, every word.
 */
export function checkHistory(events: readonly HistoryEvent[], outcome: Outcome): readonly HistoryBreach[] {
  const told = new Map<string, Told>();
  const breaches: HistoryBreach[] = [];
  for (const [sessionId, log] of outcome.logs) {
    breaches.push(...orderBreaches(sessionId, log));
    told.set(sessionId, tell(log));
  }
  return [
    ...breaches,
    ...commandBreaches(events, told),
    ...readerBreaches(events, told),
    ...shownBreaches(outcome, told),
    ...agentBreaches(outcome, told),
  ];
}

function orderBreaches(sessionId: string, log: readonly LoggedFact[]): readonly HistoryBreach[] {
  return log.flatMap(({ seq, json }, index): HistoryBreach[] => {
    const expected = (log[index - 1]?.seq ?? 0) + 1;
    if (FactMessage.safeParse(JSON.parse(json)).data?.seq !== seq)
      return [other(`${sessionId}: fact ${seq} of the log says that it is another one: ${json.slice(0, SHOWN_CHARS)}`)];
    if (seq === expected) return [];
    if (log.slice(0, index).some((earlier) => earlier.seq === seq))
      return [{ kind: "duplicate", what: `${sessionId}: the log has fact ${seq} twice` }];
    if (seq < expected) return [other(`${sessionId}: fact ${seq} stands after ${expected - 1} in the log`)];
    return [{ kind: "lost", what: `${sessionId}: the log has no fact ${expected}` }];
  });
}

function tell(log: readonly LoggedFact[]): Told {
  let state = EMPTY_SESSION;
  const ends = new Map<string, string>();
  for (const { json } of log) {
    const fact = FactMessage.safeParse(JSON.parse(json)).data;
    if (!fact) continue;
    if (fact.type === "session:turn" && fact.turn.state === "idle" && fact.turn.turnId !== undefined)
      ends.set(fact.turn.turnId, fact.turn.stopReason ?? "");
    state = reduceSession(state, fact);
  }
  return { facts: new Map(log.map(({ seq, json }) => [seq, json])), last: log.at(-1)?.seq ?? 0, state, ends };
}

function commandBreaches(events: readonly HistoryEvent[], told: ReadonlyMap<string, Told>): readonly HistoryBreach[] {
  const done = new Map<string, number>();
  for (const { state } of told.values())
    for (const commandId of commandsOf(state)) done.set(commandId, (done.get(commandId) ?? 0) + 1);
  const asked = new Set(events.flatMap((event) => (event.type === "asked" ? [event.commandId] : [])));
  const answers = new Map<string, Set<string>>();
  const breaches: HistoryBreach[] = [];
  for (const event of events) {
    if (event.type !== "answered") continue;
    const said = answers.get(event.commandId) ?? new Set();
    answers.set(event.commandId, said.add(`${event.answer} ${event.seq ?? ""}`.trim()));
    const count = done.get(event.commandId) ?? 0;
    if (event.answer === "acknowledged" && count === 0)
      breaches.push({ kind: "lost", what: `${event.commandId} was acknowledged and is nowhere` });
    if (event.answer === "refused" && count > 0) breaches.push(other(`${event.commandId} was refused and yet done`));
  }
  for (const [commandId, said] of answers)
    if (said.size > 1) breaches.push(other(`${commandId} was answered differently: ${[...said].join(", ")}`));
  for (const [commandId, count] of done) {
    if (count > 1) breaches.push({ kind: "duplicate", what: `${commandId} is ${count} times in the log` });
    if (!asked.has(commandId)) breaches.push(other(`${commandId} is in the log, and nobody asked for it`));
  }
  return breaches;
}

/** Those of messages, said or waiting. */
function commandsOf({ settled, open, queue }: SessionState): readonly string[] {
  const said = [...settled, ...open].flatMap((entry) => (entry.type === "user" ? [entry.commandId] : []));
  return [...said, ...queue.map(({ commandId }) => commandId)].filter((id) => id !== undefined);
}

function readerBreaches(events: readonly HistoryEvent[], told: ReadonlyMap<string, Told>): readonly HistoryBreach[] {
  /** By client and session: the last fact of this connection, and the highest of all. */
  const cursors = new Map<string, { at: number; highest: number }>();
  const breaches: HistoryBreach[] = [];
  const sessions = new Map<string, string>();
  const cursorOf = (client: string, sessionId: string) => {
    const key = `${client} in ${sessionId}`;
    const cursor = cursors.get(key) ?? { at: 0, highest: 0 };
    cursors.set(key, cursor);
    return { key, cursor };
  };
  for (const event of events) {
    if (event.type === "asked") sessions.set(event.commandId, event.sessionId);
    if (event.type === "answered" && event.seq !== null) {
      // Whoever was told that it is done sees it from then on.
      const sessionId = sessions.get(event.commandId);
      if (sessionId === undefined) continue;
      const { cursor } = cursorOf(event.client, sessionId);
      cursor.highest = Math.max(cursor.highest, event.seq);
    }
    if (event.type === "opened") {
      const { key, cursor } = cursorOf(event.client, event.sessionId);
      const last = told.get(event.sessionId)?.last ?? 0;
      if (event.seq < cursor.highest)
        breaches.push({ kind: "divergent", what: `${key} went back from ${cursor.highest} to ${event.seq}` });
      if (event.seq > last)
        breaches.push({ kind: "lost", what: `${key} was given ${event.seq}, the log ends at ${last}` });
      cursor.at = event.from;
      cursor.highest = Math.max(cursor.highest, event.from);
    }
    if (event.type === "read") {
      const { key, cursor } = cursorOf(event.client, event.sessionId);
      const stored = told.get(event.sessionId)?.facts.get(event.seq);
      if (stored === undefined)
        breaches.push({ kind: "lost", what: `${key} saw fact ${event.seq}, which is not in the log` });
      else if (stored !== event.fact)
        breaches.push({
          kind: "divergent",
          what: `${key} saw another fact ${event.seq} than the log has: ${event.fact.slice(0, SHOWN_CHARS)}`,
        });
      if (event.seq <= cursor.at)
        breaches.push({ kind: "divergent", what: `${key} got fact ${event.seq} after ${cursor.at}` });
      else if (event.seq !== cursor.at + 1)
        breaches.push({ kind: "divergent", what: `${key} got fact ${event.seq} right after ${cursor.at}` });
      cursor.at = event.seq;
      cursor.highest = Math.max(cursor.highest, event.seq);
    }
  }
  return breaches;
}

function shownBreaches({ shown }: Outcome, told: ReadonlyMap<string, Told>): readonly HistoryBreach[] {
  return shown.flatMap(({ client, sessionId, state }): HistoryBreach[] => {
    const difference = differenceOf(state, told.get(sessionId)?.state ?? EMPTY_SESSION);
    return difference === null ? [] : [{ kind: "divergent", what: `${client} shows in ${sessionId}: ${difference}` }];
  });
}

function agentBreaches({ turns }: Outcome, told: ReadonlyMap<string, Told>): readonly HistoryBreach[] {
  const breaches: HistoryBreach[] = [];
  const known = new Set<string>();
  const places = new Map([...turns.keys()].map((turn, place) => [turn, place]));
  for (const [sessionId, { state, ends }] of told) {
    let before = -1;
    for (const [turnId, entries] of Map.groupBy([...state.settled, ...state.open], ({ turnId }) => turnId ?? "")) {
      const turn = promptOf(entries);
      if (turn === null) continue;
      known.add(turn);
      const place = places.get(turn) ?? before;
      if (place < before) breaches.push(other(`${sessionId}: turn ${turn} reached the agent out of order`));
      before = place;
      const where = `${sessionId} turn ${turn}`;
      breaches.push(...turnBreaches(where, turns.get(turn), entries, ends.get(turnId)));
    }
  }
  for (const turn of turns.keys())
    if (!known.has(turn)) breaches.push(other(`turn ${turn} reached an agent, and no log has it`));
  return breaches;
}

function promptOf(entries: readonly Entry[]): string | null {
  for (const entry of entries)
    if (entry.type === "user") {
      const found = PROMPT.exec(entry.content)?.[1];
      if (found !== undefined) return found;
    }
  return null;
}

function turnBreaches(
  where: string,
  recorded: AgentTurn | undefined,
  entries: readonly Entry[],
  end: string | undefined,
): readonly HistoryBreach[] {
  if (end === undefined) return [other(`${where} has not ended`)];
  // Stopped before it was sent.
  if (recorded === undefined)
    return end === "cancelled" ? [] : [{ kind: "lost", what: `${where} never reached the agent, and ended as ${end}` }];
  const breaches: HistoryBreach[] = [];
  if (recorded.starts > 1) breaches.push({ kind: "duplicate", what: `${where} was prompted ${recorded.starts} times` });
  if (recorded.answers > recorded.asks)
    breaches.push({ kind: "duplicate", what: `${where}: its question was answered ${recorded.answers} times` });
  if (recorded.ends[0] !== end)
    breaches.push(other(`${where} ended as ${end}, the agent says ${recorded.ends.join(", ") || "nothing"}`));
  const text = entries.flatMap((entry) => (entry.type === "assistant" ? [entry.content] : [])).join("");
  if (text !== recorded.text)
    breaches.push({
      kind: text.length > recorded.text.length ? "duplicate" : "lost",
      what: `${where}: stored is ${shown(text)}, the agent said ${shown(recorded.text)}`,
    });
  const outputs = new Map(
    entries.flatMap((entry) => (entry.type === "tool-call" ? [[entry.toolCallId, entry.result ?? ""]] : [])),
  );
  for (const [call, output] of recorded.outputs)
    if (outputs.get(call) !== output)
      breaches.push({ kind: "lost", what: `${where}: ${call} is stored as ${shown(outputs.get(call) ?? "")}` });
  return breaches;
}

function other(what: string): HistoryBreach {
  return { kind: "other", what };
}

function shown(text: string): string {
  return `${text.length} characters …${JSON.stringify(text.slice(-SHOWN_CHARS))}`;
}
