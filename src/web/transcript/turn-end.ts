import type { Entry } from "../../protocol/entry.ts";
import type { Turn } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-state.ts";
import { type TurnEndWords, turnEndWords } from "../../protocol/turn-end-words.ts";

/** What can be done about a turn that ended badly. */
export type TurnEndAction = "retry" | "sign-in";

/** The words about a turn's end are an entry near the end; what comes late may stand after it. */
const SEARCHED_ENTRIES = 20;

/** What the record does not say about the end of the last turn: sessions of earlier versions have no words about it. */
export function unsaidEnd(turn: Turn, entries: readonly Entry[]): TurnEndWords | null {
  if (isTurnActive(turn)) return null;
  const last = entries.at(-1);
  // Some agents end a turn without a word when their model fails: that must not look as if nothing had been asked.
  if (turn.stopReason === "end_turn" && last?.type === "user" && last.commandId !== undefined)
    return { severity: "info", content: "The agent ended this turn without an answer." };
  const isSaid = entries
    .slice(-SEARCHED_ENTRIES)
    .some((entry) => entry.type === "notice" && entry.turnEnd !== undefined && entry.turnId === turn.turnId);
  return isSaid ? null : turnEndWords(turn.stopReason, turn.error);
}

/** What the user can do about the end of a turn; nothing about one that went well or was their own stop. */
export function turnEndActions({ stopReason, error }: Turn): readonly TurnEndAction[] {
  if (stopReason !== "interrupted" && stopReason !== "error") return [];
  return error?.code === "AGENT_AUTH_REQUIRED" ? ["sign-in", "retry"] : ["retry"];
}
