import type { Entry } from "./entry.ts";
import { reduceSession } from "./reduce-session.ts";
import type { FactMessage } from "./server-messages.ts";
import type { SessionHistory, SessionPage, SessionResumed } from "./session-messages.ts";
import { isTurnActive, type SessionState, sessionFieldsOf } from "./session-schema.ts";

export type FollowMessage = SessionHistory | SessionResumed | SessionPage | FactMessage;

/** Folds every message to a session's follower into the state it shows. */
export function foldMessage(state: SessionState, message: FollowMessage): SessionState {
  switch (message.type) {
    case "session:history":
      return stateFromHistory(message);
    case "session:resumed":
      // A resume only promises the missed facts: folding its fields here would skip them.
      return state;
    case "session:page":
      return prependPage(state, message);
    default:
      return reduceSession(state, message);
  }
}

/** All entries, oldest first: what is shown, and what two readers are compared by. */
export function entriesOf(state: SessionState): readonly Entry[] {
  return state.open.length === 0 ? state.settled : [...state.settled, ...state.open];
}

function stateFromHistory(history: SessionHistory): SessionState {
  const { turn, entries, hasMore } = history;
  const openFrom = isTurnActive(turn) ? entries.findIndex(({ turnId }) => turnId === turn.turnId) : -1;
  const cut = openFrom === -1 ? entries.length : openFrom;
  return { ...sessionFieldsOf(history), settled: entries.slice(0, cut), open: entries.slice(cut), hasMore };
}

function prependPage(state: SessionState, page: SessionPage): SessionState {
  const first = entriesOf(state)[0];
  // A page for an outdated position (a fresh history came between) is ignored.
  if (first?.entryId !== page.before) return state;
  return { ...state, settled: [...page.entries, ...state.settled], hasMore: page.hasMore };
}
