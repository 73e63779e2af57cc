import { isDeepStrictEqual } from "node:util";
import type { SessionLog } from "../../ports/session-log.ts";
import type { TransferStore } from "../../ports/transfer-store.ts";
import type { SessionId } from "../../protocol/ids.ts";

/** The parts with which a server reads sessions. */
export interface SessionReaders {
  readonly log: SessionLog;
  readonly transfers: TransferStore;
}

const ENTRIES_AT_ONCE = 200;
const FACTS_AT_ONCE = 1_000;

/** Folds these sessions on both sides, as a server does, and returns those that differ. */
export async function differingSessions(
  ids: readonly SessionId[],
  one: SessionReaders,
  other: SessionReaders,
): Promise<readonly SessionId[]> {
  const differing: SessionId[] = [];
  for (const id of ids) if (!(await isSame(id, one, other))) differing.push(id);
  return differing;
}

async function isSame(id: SessionId, one: SessionReaders, other: SessionReaders): Promise<boolean> {
  const [first, second] = [await one.log.load(id), await other.log.load(id)];
  if (first === null || !isDeepStrictEqual(first, second)) return false;
  if (!isDeepStrictEqual(await one.log.drafts.read(id), await other.log.drafts.read(id))) return false;
  return (await hasSameEntries(id, one, other)) && (await hasSameFacts(id, one.log, other.log));
}

async function hasSameEntries(id: SessionId, one: SessionReaders, other: SessionReaders): Promise<boolean> {
  for (let position: number | null = 0; position !== null; ) {
    const run: Awaited<ReturnType<TransferStore["entriesAfter"]>> = await one.transfers.entriesAfter(
      id,
      position,
      ENTRIES_AT_ONCE,
    );
    if (!isDeepStrictEqual(run, await other.transfers.entriesAfter(id, position, ENTRIES_AT_ONCE))) return false;
    position = run.next;
  }
  return true;
}

async function hasSameFacts(id: SessionId, one: SessionLog, other: SessionLog): Promise<boolean> {
  for (let seq = 0; ; ) {
    const frames = await one.readAfter(id, seq, FACTS_AT_ONCE);
    if (!isDeepStrictEqual(frames, await other.readAfter(id, seq, FACTS_AT_ONCE))) return false;
    const last = frames.at(-1);
    if (last === undefined || frames.length < FACTS_AT_ONCE) return true;
    seq = last.seq;
  }
}
