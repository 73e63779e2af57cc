import type { AgentBinding, Commit } from "../../ports/session-log.ts";
import type { SessionRow } from "../../protocol/server-messages.ts";
import { isTurnActive } from "../../protocol/session-state.ts";

type Value = string | number | null;

/** What a session's row is made with, in the order of the statement that inserts it. */
export function createdValues(row: SessionRow, binding: AgentBinding): Value[] {
  const { id, projectId, cliType, title, createdAt, lastActiveAt, archived } = row;
  const { agentSessionId, createdAt: boundAt, cwd, state, since, adopted } = binding;
  const own = [id, projectId, cliType, title, createdAt, lastActiveAt, archived ? 1 : 0];
  return [...own, agentSessionId, boundAt, cwd, state, since, adopted === true ? 1 : 0];
}

/** What every commit changes in that row, in the order of the statement that updates it. */
export function committedValues({ state, lastActiveAt, continuation }: Commit): Value[] {
  const { title, archived, turn, seq, config } = state;
  return [
    ...[title, archived ? 1 : 0, JSON.stringify(turn), isTurnActive(turn) ? 1 : 0, seq],
    ...[config.usage && JSON.stringify(config.usage), lastActiveAt],
    ...[continuation.processId, continuation.heard, continuation.cancelling, continuation.agentSeenAt],
  ];
}
