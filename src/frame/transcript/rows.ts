import { type Entry, isTextEntry } from "../../protocol/entry.ts";
import type { CommandId } from "../../protocol/ids.ts";
import type { ShownBranch } from "../../protocol/portlet-messages.ts";
import type { AgentStatus } from "../../protocol/session-messages.ts";
import type { Turn } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { Undoing } from "../portlet-state.ts";
import { isNextTurnBegun, type TurnEndAction, turnEndActions, unsaidEnd } from "./turn-end.ts";

/** Space above a row: none at the top, none inside a run of lines, a paragraph, or the start of a turn. */
export type Gap = "first" | "tight" | "entry" | "turn";

export interface EntryRow {
  readonly kind: "entry";
  readonly key: string;
  readonly gap: Gap;
  readonly entry: Entry;
  /** Text is still arriving at its end, or some of its steps are not done. */
  readonly live: boolean;
  /** The agent asks the user about this call. */
  readonly asks: boolean;
  /** The progress of undoing the restore in this notice. */
  readonly undoing?: Undoing | undefined;
  /** Sessions that began after it, and those that began before it if it is the first of all. */
  readonly branches?: readonly ShownBranch[] | undefined;
  readonly branchesBefore?: readonly ShownBranch[] | undefined;
  /** The text where this session itself began: everything up to here is its source's. */
  readonly began?: string | undefined;
  /** The messages and calls of its sub-agents. */
  readonly children: readonly EntryRow[];
}

const NO_CHILDREN: readonly EntryRow[] = [];

/** Rows after the entries: about the current state, not part of the transcript. */
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

/** The settled rows keep their identity until the settled entries change, so that a chunk only compares the open ones. */
export interface TranscriptRows {
  readonly source: readonly Entry[];
  readonly undos: RowsInput["undos"];
  readonly branches: RowsInput["branches"];
  readonly began: RowsInput["began"];
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
  /** It waits for the end of a usage limit: a card has the actions. */
  readonly isPaused?: boolean;
  readonly agentName: string;
  /** The tool calls that wait for the user's permission. */
  readonly asked: ReadonlySet<string>;
  readonly undos: ReadonlyMap<string, Undoing>;
  /** Where other sessions began, by the last entry in common; "": before the first. */
  readonly branches: ReadonlyMap<string, readonly ShownBranch[]>;
  /** The last entry that a branch has from its source, and the text shown there. */
  readonly began?: { readonly entryId: string; readonly words: string } | null;
  /** Older entries are not loaded. */
  readonly hasMore: boolean;
}

export const NO_ROWS: TranscriptRows = {
  source: [],
  undos: new Map(),
  branches: new Map(),
  began: null,
  settled: [],
  open: [],
  tail: [],
};

const rowOfEntry = new WeakMap<Entry, EntryRow>();

/**
 * The rows of the transcript, oldest first. Pure except for a cache of rows by entry, so that unchanged rows are the
 * same object.
 */
export function deriveRows(input: RowsInput, previous: TranscriptRows = NO_ROWS): TranscriptRows {
  const { undos, branches, began = null } = input;
  const isSameBeginning = began?.entryId === previous.began?.entryId && began?.words === previous.began?.words;
  const isSameMarks = undos === previous.undos && branches === previous.branches && isSameBeginning;
  const isSameSource = input.settled === previous.source && isSameMarks;
  const settled = isSameSource ? previous.settled : settledRows(input);
  const live = liveEntry(input);
  const open = openRows(input, live);
  const rows = tailRows(input, live !== undefined);
  const tail = isSameTail(rows, previous.tail) ? previous.tail : rows;
  const isSame = settled === previous.settled && tail === previous.tail && isSameList(open, previous.open);
  return isSame ? previous : { source: input.settled, undos, branches, began, settled, open, tail };
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

function settledRows(input: RowsInput): EntryRow[] {
  return nestedRows(nestEntries(input.settled), undefined, (entry, children) => {
    const undoing = undoingOf(entry, input.undos);
    const points = pointsOf(entry, children, input);
    return undoing === undefined && points === undefined ? PLAIN : { ...PLAIN, undoing, ...points };
  });
}

/** A session that began after the last words of a sub-agent began after the call that it belongs to. */
function pointsOf(
  entry: Entry,
  children: readonly NestedEntry[],
  { branches, began = null, settled, open, hasMore }: RowsInput,
): Pick<Marks, "branches" | "branchesBefore" | "began"> | undefined {
  if ((branches.size === 0 && began === null) || entry.parentToolCallId !== undefined) return undefined;
  const isFirst = !hasMore && entry === (settled[0] ?? open[0]);
  const branchesBefore = isFirst ? branches.get("") : undefined;
  const after = branches.get(entry.entryId) ?? branchesInside(children, branches);
  const isLastInCommon = began !== null && (entry.entryId === began.entryId || isInside(children, began.entryId));
  if (after === undefined && branchesBefore === undefined && !isLastInCommon) return undefined;
  return { branches: after, branchesBefore, began: isLastInCommon ? began.words : undefined };
}

function isInside(children: readonly NestedEntry[], entryId: string): boolean {
  return children.some(({ entry, children: below }) => entry.entryId === entryId || isInside(below, entryId));
}

function branchesInside(
  children: readonly NestedEntry[],
  branches: RowsInput["branches"],
): readonly ShownBranch[] | undefined {
  for (const { entry, children: below } of children) {
    const found = branches.get(entry.entryId) ?? branchesInside(below, branches);
    if (found) return found;
  }
  return undefined;
}

function undoingOf(entry: Entry, undos: RowsInput["undos"]): Undoing | undefined {
  return entry.type === "notice" && entry.restore !== undefined ? undos.get(entry.restore.undoId) : undefined;
}

interface Marks {
  readonly live: boolean;
  readonly asks: boolean;
  readonly undoing?: Undoing | undefined;
  readonly branches?: EntryRow["branches"];
  readonly branchesBefore?: EntryRow["branches"];
  readonly began?: EntryRow["began"];
}

const PLAIN: Marks = { live: false, asks: false };

function openRows(input: RowsInput, live: Entry | undefined): EntryRow[] {
  const marksOf = (entry: Entry, children: readonly NestedEntry[]): Marks => ({
    live: entry === live || (isTurnActive(input.turn) && isOpenPlan(entry)),
    asks: entry.type === "tool-call" && entry.status === "running" && input.asked.has(entry.toolCallId),
    undoing: undoingOf(entry, input.undos),
    ...pointsOf(entry, children, input),
  });
  return nestedRows(nestEntries(input.open), input.settled.at(-1), marksOf);
}

function isOpenPlan(entry: Entry): boolean {
  return entry.type === "plan" && entry.items.some(({ status }) => status !== "completed");
}

function nestedRows(
  nested: readonly NestedEntry[],
  before: Entry | undefined,
  marksOf: (entry: Entry, children: readonly NestedEntry[]) => Marks,
): EntryRow[] {
  return nested.map(({ entry, children }, index) => {
    const gap = gapBetween(nested[index - 1]?.entry ?? before, entry);
    const rows = children.length === 0 ? NO_CHILDREN : nestedRows(children, undefined, marksOf);
    return entryRow(entry, gap, marksOf(entry, children), rows);
  });
}

function entryRow(entry: Entry, gap: Gap, marks: Marks, children: readonly EntryRow[]): EntryRow {
  const known = rowOfEntry.get(entry);
  if (known?.gap === gap && isMarked(known, marks) && isSameList(known.children, children)) return known;
  const { live, asks, undoing, branches, branchesBefore, began } = marks;
  const row: EntryRow = {
    ...{ kind: "entry", key: keyOf(entry), gap, entry, live, asks, undoing, children },
    ...{ branches, branchesBefore, began },
  };
  rowOfEntry.set(entry, row);
  return row;
}

function isMarked(row: EntryRow, { live, asks, undoing, branches, branchesBefore, began }: Marks): boolean {
  const isSame = row.live === live && row.asks === asks && row.undoing === undoing && row.began === began;
  return isSame && row.branches === branches && row.branchesBefore === branchesBefore;
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

/** The actions for the end of the last turn, with a text if the transcript has none. */
function endRow({ turn, settled, open, status, isPaused = false }: RowsInput): TailRow | null {
  const entries = open.length > 0 ? open : settled;
  if (isTurnActive(turn) || entries.length === 0 || isNextTurnBegun(turn, entries)) return null;
  const unsaid = unsaidEnd(turn, entries);
  const actions = isAway(status) || isPaused ? [] : turnEndActions(turn);
  if (!unsaid && actions.length === 0) return null;
  const { severity, content } = unsaid ?? { severity: "info", content: "" };
  const gap = unsaid ? "entry" : "tight";
  return { kind: "turn-end", key: `end:${turn.turnId ?? ""}`, gap, severity, words: content, actions };
}

/** Before a retry the agent has to be restarted, and the dock has the button for that. */
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

/** One-line entries are close together: they read as one list. */
function isLine(entry: Entry): boolean {
  return entry.type === "tool-call" || entry.type === "thinking";
}

/** An entry with the messages and calls of its sub-agents, in order. */
interface NestedEntry {
  readonly entry: Entry;
  readonly children: NestedEntry[];
}

/** Nests entries below their tool calls; one without its call is shown separately. */
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
