import type { AgentBinding } from "../../src/ports/session-log.ts";
import {
  CliType,
  CommandId,
  ElicitationId,
  EntryId,
  PermissionId,
  ProjectId,
  SessionId,
  TurnId,
} from "../../src/protocol/ids.ts";

import { newSessionRow, type SessionRow } from "../../src/protocol/session-schema.ts";

/** Ids as the edges make them: parsed, not cast. */
export const entryId = (text: string): EntryId => EntryId.parse(text);
export const turnId = (text: string): TurnId => TurnId.parse(text);
export const commandId = (text: string): CommandId => CommandId.parse(text);
export const permissionId = (text: string): PermissionId => PermissionId.parse(text);
export const elicitationId = (text: string): ElicitationId => ElicitationId.parse(text);

export const BUILTIN = CliType.parse("builtin");
export const PROJECT = ProjectId.parse("project-1");
export const SESSION = SessionId.parse("builtin:session-1");
export const NOW = "2026-01-01T00:00:00.000Z";

export const BINDING: AgentBinding = {
  agentSessionId: "agent-session-1",
  createdAt: NOW,
  cwd: "/work",
  state: "active",
  since: NOW,
};

export function sessionRow(id: SessionId = SESSION): SessionRow {
  return newSessionRow({ id, projectId: PROJECT, cliType: BUILTIN, createdAt: NOW });
}
