import type { Entry, ToolCallEntry } from "./entry.ts";
import type { EntryId } from "./ids.ts";

/** A shorter list is scanned: that is faster than an index of it. */
const SCANNED_ENTRIES_MAX = 64;

interface EntryIndex {
  readonly byEntryId: Map<EntryId, number>;
  /** The last call of each id. */
  readonly byToolCallId: Map<string, number>;
  /** Oldest first. */
  readonly running: Set<EntryId>;
}

/**
 * Positions in long lists of entries. `withEntry` and `withReplaced` pass the index on to the list they return, so a
 * turn with many thousand entries builds it once. An older list builds its own when needed.
 */
const indexes = new WeakMap<readonly Entry[], EntryIndex>();

/** -1 when there is no such entry. */
export function positionOfEntry(entries: readonly Entry[], entryId: EntryId): number {
  if (entries.length <= SCANNED_ENTRIES_MAX) return entries.findLastIndex((entry) => entry.entryId === entryId);
  return indexOf(entries).byEntryId.get(entryId) ?? -1;
}

/** The last call with this id. */
export function findToolCall(entries: readonly Entry[], toolCallId: string): ToolCallEntry | undefined {
  const isIt = (entry: Entry | undefined): entry is ToolCallEntry =>
    entry?.type === "tool-call" && entry.toolCallId === toolCallId;
  if (entries.length <= SCANNED_ENTRIES_MAX) return entries.findLast(isIt);
  const entry = entries[indexOf(entries).byToolCallId.get(toolCallId) ?? -1];
  return isIt(entry) ? entry : undefined;
}

/** How many calls are running, and the one that has been running for longest. */
export function runningCalls(entries: readonly Entry[]): { readonly count: number; readonly oldest?: ToolCallEntry } {
  // A short list cannot have many, so the oldest is not needed.
  if (entries.length <= SCANNED_ENTRIES_MAX) return { count: entries.filter(isRunning).length };
  const { running, byEntryId } = indexOf(entries);
  const [first] = running;
  const oldest = first === undefined ? undefined : entries[byEntryId.get(first) ?? -1];
  return { count: running.size, ...(oldest?.type === "tool-call" && { oldest }) };
}

export function withEntry(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  // Six times as fast as a spread where the list is long.
  const next = entries.concat(entry);
  const index = take(entries);
  if (!index) return next;
  note(index, entry, entries.length);
  indexes.set(next, index);
  return next;
}

export function withReplaced(entries: readonly Entry[], position: number, entry: Entry): readonly Entry[] {
  const next = entries.with(position, entry);
  const before = entries[position];
  const index = take(entries);
  if (!index || !before || callIdOf(before) !== callIdOf(entry)) return next;
  if (isRunning(before) && !isRunning(entry)) index.running.delete(entry.entryId);
  note(index, entry, position);
  indexes.set(next, index);
  return next;
}

function take(entries: readonly Entry[]): EntryIndex | undefined {
  const index = indexes.get(entries);
  indexes.delete(entries);
  return index;
}

function indexOf(entries: readonly Entry[]): EntryIndex {
  const known = indexes.get(entries);
  if (known) return known;
  const index: EntryIndex = { byEntryId: new Map(), byToolCallId: new Map(), running: new Set() };
  entries.forEach((entry, position) => {
    note(index, entry, position);
  });
  indexes.set(entries, index);
  return index;
}

function note(index: EntryIndex, entry: Entry, position: number): void {
  index.byEntryId.set(entry.entryId, position);
  if (isRunning(entry)) index.running.add(entry.entryId);
  if (entry.type !== "tool-call") return;
  const known = index.byToolCallId.get(entry.toolCallId);
  if (known === undefined || known < position) index.byToolCallId.set(entry.toolCallId, position);
}

function callIdOf(entry: Entry): string | undefined {
  return entry.type === "tool-call" ? entry.toolCallId : undefined;
}

function isRunning(entry: Entry): boolean {
  return entry.type === "tool-call" && entry.status === "running";
}
