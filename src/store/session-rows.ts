import type { AgentBinding, Said } from "../ports/session-log.ts";

type Row = Record<string, unknown>;

export function saidFrom(row: Row): Said {
  const type = row["type"];
  return { type: type === "user" || type === "notice" ? type : "assistant", content: String(row["content"]) };
}

export function bindingFrom(row: Row): AgentBinding {
  const state = row["agent_state"];
  return {
    agentSessionId: String(row["agent_session_id"]),
    createdAt: String(row["agent_session_at"]),
    cwd: String(row["cwd"]),
    state: state === "active" || state === "crashed" || state === "closed" ? state : "idle",
    since: String(row["agent_state_at"]),
  };
}
