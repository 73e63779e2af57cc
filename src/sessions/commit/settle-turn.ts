import type { Entry } from "../../protocol/entry.ts";
import type { Fact } from "../../protocol/facts.ts";
import { isTurnActive, type SessionState } from "../../protocol/session-state.ts";

/** Entries of ended turns leave the working state for the entry table; the cost of a session is its open turn. */
export function settle(state: SessionState): { settled: readonly Entry[]; working: SessionState } {
  if (isTurnActive(state.turn)) return { settled: state.settled, working: { ...state, settled: [] } };
  return { settled: [...state.settled, ...state.open], working: { ...state, settled: [], open: [] } };
}

/** Sending and receiving is activity; opening, renaming and archiving are not. */
export function isActivity(fact: Fact): boolean {
  return fact.type === "session:update" || fact.type === "session:chunk" || fact.type === "session:turn";
}
