import type { PermissionOption } from "@agentclientprotocol/sdk";
import type { Mode } from "../sessions/config-options.ts";
import type { GuardedKind } from "../sessions/session-record.ts";
import type { ToolCall } from "./tool-call.ts";
import { type Turn, TurnCancelled } from "./turn.ts";

/** The outcome of a permission request. */
export type Permission = "allowed" | "rejected" | "refused";

const PLURAL: Record<GuardedKind, string> = {
  edit: "edits",
  execute: "commands",
  tool: "tools of your tool servers",
  fetch: "web pages",
  private: "addresses of this machine and network",
};

/** The options in display order. */
export function permissionOptions(kind: GuardedKind): PermissionOption[] {
  return [
    { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
    { optionId: "allow-always", name: `Always allow ${PLURAL[kind]} in this session`, kind: "allow_always" },
    { optionId: "reject-once", name: "Reject", kind: "reject_once" },
  ];
}

/** Asks unless the session's mode or an earlier "always" answers; a cancelled request cancels the turn. */
export async function askPermission(turn: Turn, tool: ToolCall, kind: GuardedKind): Promise<Permission> {
  const { session, client } = turn.context;
  const settled = decidedByMode(session.config.mode, kind);
  if (settled) return settled;
  if (session.isAllowed(kind)) return "allowed";
  const request = { sessionId: session.id, toolCall: tool.announcement, options: permissionOptions(kind) };
  const chosen = await client.requestPermission(request, turn.signal);
  if (chosen === undefined) throw new TurnCancelled("The question was cancelled.");
  if (chosen === "allow-always") session.allowAlways(kind);
  return chosen === "allow-once" || chosen === "allow-always" ? "allowed" : "rejected";
}

function decidedByMode(mode: Mode, kind: GuardedKind): Permission | undefined {
  switch (mode) {
    case "ask":
      return undefined;
    case "edits":
      return kind === "edit" ? "allowed" : undefined;
    case "all":
      return "allowed";
    case "read":
      return "refused";
    default:
      return mode satisfies never;
  }
}
