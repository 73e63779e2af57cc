import { isTurnActive, type SessionState } from "../../protocol/session-state.ts";

/** Whether a message could join the turn that runs. */
export function canSteer({ turn, config }: SessionState): boolean {
  return isTurnActive(turn) && config.abilities?.steering === true;
}
