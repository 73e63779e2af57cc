import type { AgentBinding, LogFrame, Said } from "../../ports/session-log.ts";
import { Entry } from "../../protocol/entry.ts";
import { FactBody, FactType, Seq } from "../../protocol/facts.ts";
import { SessionRow } from "../../protocol/server-messages.ts";
import { EMPTY_SESSION, type SessionState, UNTITLED } from "../../protocol/session-state.ts";

type Row = Record<string, unknown>;

/** A session that nothing was said in here yet; a title it brought along is one, and the first message derives no other. */
export function titled(row: Row): SessionState {
  const title = String(row["title"]);
  const titleSource = title === UNTITLED ? "none" : "derived";
  return { ...EMPTY_SESSION, title, titleSource, archived: row["archived"] === 1 };
}

export function entryFrom(row: Row | undefined): Entry | null {
  return row ? Entry.parse(JSON.parse(String(row["json"]))) : null;
}

export function saidFrom(row: Row): Said {
  const type = row["type"];
  return { type: type === "user" || type === "notice" ? type : "assistant", content: String(row["content"]) };
}

export function factFrom(row: Row): FactBody & { seq: number } {
  return { ...FactBody.parse(JSON.parse(String(row["json"]))), seq: Seq.parse(row["seq"]) };
}

export function frameFrom(row: Row): LogFrame {
  return {
    seq: Seq.parse(row["seq"]),
    type: FactType.parse(row["type"]),
    json: String(row["json"]),
  };
}

export function bindingFrom(row: Row): AgentBinding {
  const state = row["agent_state"];
  return {
    agentSessionId: String(row["agent_session_id"]),
    createdAt: String(row["agent_session_at"]),
    cwd: String(row["cwd"]),
    state: state === "active" || state === "crashed" || state === "closed" ? state : "idle",
    since: String(row["agent_state_at"]),
    ...(row["adopted"] === 1 && { adopted: true }),
  };
}

export function sessionRowFrom(row: Row): SessionRow {
  return SessionRow.parse({
    id: row["id"],
    projectId: row["project_id"],
    title: row["title"],
    lastActiveAt: row["last_active_at"],
    createdAt: row["created_at"],
    cliType: row["cli_type"],
    archived: row["archived"] === 1,
    turn: JSON.parse(String(row["turn"])),
    parentId: row["parent_id"] ?? undefined,
    ...(typeof row["usage"] === "string" && { usage: JSON.parse(row["usage"]) }),
    ...(Number(row["armed_waits"]) > 0 && { waitsForAgents: true }),
    unread: Number(row["attention_seq"]) > Number(row["seen_seq"]),
  });
}
