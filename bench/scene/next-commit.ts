import { type Commit, NO_CONTINUATION } from "../../src/ports/session-log.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { EntryId, type SessionId, TurnId } from "../../src/protocol/ids.ts";
import { reduceSession } from "../../src/protocol/reduce-session.ts";
import { EMPTY_SESSION, type SessionState } from "../../src/protocol/session-schema.ts";

export const SEED_TIME = "2026-01-01T00:00:00.000Z";
const ENTRY = EntryId.parse("entry");
/** A streamed piece of text, as a fact. */
export const CHUNK: FactBody = {
  type: "session:chunk",
  entryId: ENTRY,
  content: "Forty-eight characters of text, more or less so.",
};
/** Starts a turn, and the entry that the chunks extend. */
export const TURN_START: readonly FactBody[] = [
  { type: "session:turn", turn: { state: "running", turnId: TurnId.parse("turn") } },
  { type: "session:update", entry: { entryId: ENTRY, type: "assistant", content: "", timestamp: SEED_TIME } },
];

/** The commit of one burst, and the resulting state. */
export function nextCommit(sessionId: SessionId, state: SessionState, bodies: readonly FactBody[]) {
  const facts = bodies.map((body, index) => ({ ...body, sessionId, seq: state.seq + index + 1 }));
  const after = facts.reduce<SessionState>(reduceSession, state);
  const working = { ...after, settled: [] };
  const commit: Commit = {
    facts,
    state: after,
    settled: after.settled,
    snapshot: after.turn.state === "idle" ? working : null,
    revised: [],
    outputs: [],
    lastActiveAt: new Date().toISOString(),
    receipt: null,
    binding: null,
    attention: null,
    continuation: NO_CONTINUATION,
  };
  return { commit, working };
}

/** Commits one burst of a session; resolves when it is durable. */
export type CommitBurst = (bodies: readonly FactBody[]) => Promise<void>;

/** Starts a turn in a session; the state is folded with each burst, as in the product. */
export async function openStream(
  sessionId: SessionId,
  store: (commit: Commit) => Promise<void> | void,
): Promise<CommitBurst> {
  let state = EMPTY_SESSION;
  const commitBurst: CommitBurst = async (bodies) => {
    const { commit, working } = nextCommit(sessionId, state, bodies);
    await store(commit);
    state = working;
  };
  await commitBurst(TURN_START);
  return commitBurst;
}
