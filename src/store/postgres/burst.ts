import { invariant } from "../../lib/assert.ts";
import type { Commit, LogFrame } from "../../ports/session-log.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { SessionId } from "../../protocol/ids.ts";

/** What one commit stores, with the required state of the session before it. */
export interface Burst {
  readonly key: number;
  readonly sessionId: SessionId;
  readonly commit: Commit;
  readonly frames: readonly LogFrame[];
  /** The number of the last fact that must be stored already. */
  readonly previousSeq: number;
  /** It is found by this when the answer of the database was lost. */
  readonly commitId: string;
  /** It changes no column of the session but the numbers that every commit raises. */
  readonly isRaisedOnly: boolean;
  /** The session's row before, where the commit reports what was used. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Options of permission requests that are answered here and were stored before, by their ids. */
  readonly options: ReadonlyMap<string, string>;
}

/** `settled` and `revised` as they are at the end of the commit: no entry is in both, and none twice. Pure. */
export function foldedEntries({ settled, revised }: Commit): { settled: readonly Entry[]; revised: readonly Entry[] } {
  const last = new Map(revised.map((entry) => [entry.entryId, entry]));
  const isSettled = new Set(settled.map(({ entryId }) => entryId));
  return {
    settled: settled.map((entry) => last.get(entry.entryId) ?? entry),
    revised: [...last.values()].filter(({ entryId }) => !isSettled.has(entryId)),
  };
}

/** A commit changes no column of its session but those that every commit writes. Pure. */
export function raisesOnly({ snapshot, attention, binding, facts }: Commit): boolean {
  return (
    snapshot === null && attention === null && binding === null && !facts.some(({ type }) => type === "session:waits")
  );
}

export function previousSeqOf({ facts, state }: Commit): number {
  const [first] = facts;
  invariant(first === undefined || facts.at(-1)?.seq === state.seq, "a commit whose state is not after its facts");
  return first === undefined ? state.seq : first.seq - 1;
}

export function frameOf(fact: Fact): LogFrame {
  return { seq: fact.seq, type: fact.type, json: JSON.stringify(fact) };
}
