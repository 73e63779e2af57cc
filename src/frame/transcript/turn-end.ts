import type { Entry } from "../../protocol/entry.ts";
import type { Turn } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { type TurnEndWords, turnEndWords } from "../../protocol/turn-end-words.ts";

/** Actions for a turn that ended badly. */
export type TurnEndAction = "retry" | "sign-in" | "afresh";

/** The notice about a turn's end is an entry near the end; late updates may follow it. */
const SEARCHED_ENTRIES = 20;

/** The end of the last turn, if the transcript has no notice about it: sessions of earlier versions have none. */
export function unsaidEnd(turn: Turn, entries: readonly Entry[]): TurnEndWords | null {
  if (isTurnActive(turn) || isNextTurnBegun(turn, entries)) return null;
  const last = entries.findLast(({ type }) => type !== "changes");
  const recent = entries
    .slice(-SEARCHED_ENTRIES)
    .filter(({ turnId, type }) => turnId === turn.turnId && type !== "changes");
  // Some agents end a turn without output when their model fails: that must not look as if nothing had been asked.
  if (turn.stopReason === "end_turn" && last?.type === "user" && last.commandId !== undefined)
    return recent.every(({ type }) => type === "user")
      ? { severity: "info", content: "The agent ended this turn without an answer." }
      : null;
  const isSaid = recent.some((entry) => entry.type === "notice" && entry.turnEnd !== undefined);
  return isSaid ? null : turnEndWords(turn.stopReason, turn.error);
}

/** The message of the next turn is stored before the fact that starts it: between the two, `turn` is still the old one. */
export function isNextTurnBegun(turn: Turn, entries: readonly Entry[]): boolean {
  const last = entries.at(-1);
  if (last?.type !== "user" || last.turnId === undefined || turn.turnId === undefined) return false;
  return last.turnId !== turn.turnId;
}

/** The user's actions for the end of a turn; none for one that succeeded or that the user stopped. */
export function turnEndActions({ stopReason, error }: Turn): readonly TurnEndAction[] {
  if (stopReason !== "interrupted" && stopReason !== "error") return [];
  if (error?.code === "AGENT_SESSION_REFUSED") return ["retry", "afresh"];
  return error?.code === "AGENT_AUTH_REQUIRED" ? ["sign-in", "retry"] : ["retry"];
}
