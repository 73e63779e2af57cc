import type { DatabaseSync } from "node:sqlite";
import type { Continuation } from "../../ports/session-log.ts";
import { TurnId } from "../../protocol/ids.ts";

export function continuationFrom(row: Readonly<Record<string, unknown>>): Continuation {
  const processId = row["process_id"];
  const cancelling = row["cancelling"];
  const agentSeenAt = row["agent_seen_at"];
  return {
    processId: typeof processId === "string" ? processId : null,
    heard: Number(row["heard"]),
    cancelling: typeof cancelling === "string" ? TurnId.parse(cancelling) : null,
    agentSeenAt: typeof agentSeenAt === "string" ? agentSeenAt : null,
  };
}

/** For a server that goes on where an earlier one stopped. */
export function continuationStatements(db: DatabaseSync) {
  return {
    attachedTo: db.prepare("SELECT id FROM session WHERE process_id = ? AND agent_state IN ('active', 'idle')"),
    resolvedFact: db.prepare(
      "SELECT seq, json FROM fact WHERE session_key = ? AND type = 'permission:resolved' AND json_extract(json, '$.permissionId') = ?",
    ),
  };
}
