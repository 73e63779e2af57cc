import { type Entry, isTextEntry } from "../../protocol/entry.ts";
import type { CommandId } from "../../protocol/ids.ts";
import type { AgentStatus } from "../../protocol/server-messages.ts";
import type { Turn } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { isNextTurnBegun, type TurnEndAction, turnEndActions, unsaidEnd } from "./turn-end.ts";

/** Space above a row: none at the very top, none inside a run of lines, a paragraph, or the start of a turn. */
export type Gap = "first" | "tight" | "entry" | "turn";

export interface EntryRow {
  readonly kind: "entry";
  readonly key: string;
  readonly gap: Gap;
  readonly entry: Entry;
  /** Text still arrives at its end, or steps of it are still to be done. */
  readonly live: boolean;
  /** The agent asks the user about this very call. */
  readonly asks: boolean;
  /** What sub-agents said and did on its behalf. */
  readonly children: readonly EntryRow[];
}

const NO_CHILDREN: readonly EntryRow[] = [];

/** What stands after the entries: it is about now, and is no part of the record. */
export type TailRow =
  | { readonly kind: "pending"; readonly key: string; readonly gap: Gap; readonly content: string }
  | {
      readonly kind: "turn-end";
      readonly key: string;
      readonly gap: Gap;
      readonly severity: "info" | "warning" | "error";
      readonly words: string;
      readonly actions: readonly TurnEndAction[];
    }
  | { readonly kind: "working"; readonly key: string; readonly gap: Gap; readonly words: string };

export type Row = EntryRow | TailRow;

/** The settled rows keep their identity until the settled entries change, so that a chunk looks at the open ones only. */
export interface TranscriptRows {
  readonly source: readonly Entry[];
  readonly settled: readonly EntryRow[];
  readonly open: readonly EntryRow[];
  readonly tail: readonly TailRow[];
}

export interface RowsInput {
  readonly settled: readonly Entry[];
  readonly open: readonly Entry[];
  readonly turn: Turn;
  /** Sent by this page and not yet confirmed. */
  readonly pending: readonly { readonly commandId: CommandId; readonly content: string }[];
  readonly status: AgentStatus;
  readonly agentName: string;
  /** The tool calls that wait for the user's permission. */
  readonly asked: ReadonlySet<string>;
}

export const NO_ROWS: TranscriptRows = { source: [], settled: [], open: [], tail: [] };

const rowOfEntry = new WeakMap<Entry, EntryRow>();

/** What the transcript shows, oldest first. Pure but for a memory of rows by entry, so that what did not change is the same object. */
export function deriveRows(input: RowsInput, previous: TranscriptRows = NO_ROWS): TranscriptRows {
  const settled = input.settled === previous.source ? previous.settled : settledRows(input.settled);
  const live = liveEntry(input);
  const open = openRows(input, live);
  const rows = tailRows(input, live !== undefined);
  const tail = isSameTail(rows, previous.tail) ? previous.tail : rows;
  const isSame = settled === previous.settled && tail === previous.tail && isSameList(open, previous.open);
  return isSame ? previous : { source: input.settled, settled, open, tail };
}

function isSameTail(one: readonly TailRow[], other: readonly TailRow[]): boolean {
  return one.length === other.length && one.every((row, index) => isSameRow(row, other[index]));
}

function isSameRow(row: TailRow, other: TailRow | undefined): boolean {
  if (other === undefined || row.key !== other.key || row.kind !== other.kind || row.gap !== other.gap) return false;
  return tailText(row) === tailText(other);
}

function tailText(row: TailRow): string {
  if (row.kind === "turn-end") return [row.words, ...row.actions].join("\n");
  return row.kind === "pending" ? row.content : row.words;
}

function settledRows(entries: readonly Entry[]): EntryRow[] {
  return nestedRows(nestEntries(entries), undefined, () => PLAIN);
}

interface Marks {
  readonly live: boolean;
  readonly asks: boolean;
}

const PLAIN: Marks = { live: false, asks: false };

function openRows(input: RowsInput, live: Entry | undefined): EntryRow[] {
  const marksOf = (entry: Entry): Marks => ({
    live: entry === live || (isTurnActive(input.turn) && isOpenPlan(entry)),
    asks: entry.type === "tool-call" && entry.status === "running" && input.asked.has(entry.toolCallId),
  });
  return nestedRows(nestEntries(input.open), input.settled.at(-1), marksOf);
}

function isOpenPlan(entry: Entry): boolean {
  return entry.type === "plan" && entry.items.some(({ status }) => status !== "completed");
}

function nestedRows(
  nested: readonly NestedEntry[],
  before: Entry | undefined,
  marksOf: (entry: Entry) => Marks,
): EntryRow[] {
  return nested.map(({ entry, children }, index) => {
    const gap = gapBetween(nested[index - 1]?.entry ?? before, entry);
    const rows = children.length === 0 ? NO_CHILDREN : nestedRows(children, undefined, marksOf);
    return entryRow(entry, gap, marksOf(entry), rows);
  });
}

function entryRow(entry: Entry, gap: Gap, { live, asks }: Marks, children: readonly EntryRow[]): EntryRow {
  const known = rowOfEntry.get(entry);
  const isKnown = known?.gap === gap && known.live === live && known.asks === asks;
  if (isKnown && isSameList(known.children, children)) return known;
  const row: EntryRow = { kind: "entry", key: keyOf(entry), gap, entry, live, asks, children };
  rowOfEntry.set(entry, row);
  return row;
}

function isSameList(one: readonly EntryRow[], other: readonly EntryRow[]): boolean {
  return one.length === other.length && one.every((row, index) => row === other[index]);
}

/** A message keeps the key it had while it was being sent: its node stays, and nothing flickers when it is confirmed. */
function keyOf(entry: Entry): string {
  return entry.type === "user" && entry.commandId !== undefined ? pendingKey(entry.commandId) : entry.entryId;
}

function pendingKey(commandId: CommandId): string {
  return `command:${commandId}`;
}

/** Only the last entry can still grow, and only while its turn runs. */
function liveEntry({ turn, open }: RowsInput): Entry | undefined {
  const grows = turn.state === "running" || turn.state === "stalled";
  const last = open.at(-1);
  return grows && isTextEntry(last) ? last : undefined;
}

function tailRows(input: RowsInput, isGrowing: boolean): TailRow[] {
  const { pending } = input;
  const last = input.open.at(-1) ?? input.settled.at(-1);
  const rows: TailRow[] = [];
  const gap = (otherwise: Gap): Gap => (last === undefined && rows.length === 0 ? "first" : otherwise);
  const end = endRow(input);
  if (end) rows.push(end);
  for (const { commandId, content } of pending) {
    rows.push({ kind: "pending", key: pendingKey(commandId), gap: gap("turn"), content });
  }
  const words = workingWords(input, isGrowing, last);
  if (words !== null) {
    rows.push({ kind: "working", key: "working", gap: gap(last && isLine(last) ? "tight" : "entry"), words });
  }
  return rows;
}

/** What can be done about the last turn's end, and words about it where the record has none. */
function endRow({ turn, settled, open, status }: RowsInput): TailRow | null {
  const entries = open.length > 0 ? open : settled;
  if (isTurnActive(turn) || entries.length === 0 || isNextTurnBegun(turn, entries)) return null;
  const unsaid = unsaidEnd(turn, entries);
  const actions = isAway(status) ? [] : turnEndActions(turn);
  if (!unsaid && actions.length === 0) return null;
  const { severity, content } = unsaid ?? { severity: "info", content: "" };
  const gap = unsaid ? "entry" : "tight";
  return { kind: "turn-end", key: `end:${turn.turnId ?? ""}`, gap, severity, words: content, actions };
}

/** Before anything can be tried again the agent has to be back, and the dock has the button for that. */
function isAway(status: AgentStatus): boolean {
  return status === "disconnected" || status === "reconnecting";
}

function workingWords({ turn, status, agentName }: RowsInput, isGrowing: boolean, last: Entry | undefined) {
  if (!isTurnActive(turn) || turn.state === "waiting" || isGrowing) return null;
  if (status === "starting") return `Starting ${agentName}…`;
  if (status === "reconnecting") return `Reconnecting ${agentName}…`;
  return last?.type === "tool-call" && last.status === "running" ? null : "Working";
}

function gapBetween(before: Entry | undefined, entry: Entry): Gap {
  if (before === undefined) return "first";
  if (entry.type === "user") return "turn";
  return isLine(before) && isLine(entry) ? "tight" : "entry";
}

/** One-line entries stand close together: they read as one list. */
function isLine(entry: Entry): boolean {
  return entry.type === "tool-call" || entry.type === "thinking";
}

/** An entry and what sub-agents said and did on its behalf, in the order it came. */
interface NestedEntry {
  readonly entry: Entry;
  readonly children: NestedEntry[];
}

/** Entries under the tool calls they belong to; one whose call is not here stands for itself. */
function nestEntries(entries: readonly Entry[]): NestedEntry[] {
  const calls = new Map<string, NestedEntry>();
  const top: NestedEntry[] = [];
  for (const entry of entries) {
    const nested: NestedEntry = { entry, children: [] };
    const parent = entry.parentToolCallId === undefined ? undefined : calls.get(entry.parentToolCallId);
    (parent?.children ?? top).push(nested);
    if (entry.type === "tool-call") calls.set(entry.toolCallId, nested);
  }
  return top;
}
