import type { ElicitationId, PermissionId, SessionId } from "../protocol/ids.ts";
import { isPermission, type PendingRequest } from "../protocol/pending-request.ts";
import type { AgentQuestion, PendingQuestion, QuestionField } from "../protocol/question.ts";
import type { PermissionOption } from "../protocol/session-parts.ts";
import { oneLine } from "./print.ts";

const ASKED_CHARS_MAX = 200;

interface AskedPermission {
  readonly kind: "permission";
  readonly id: PermissionId;
  readonly sessionId: SessionId;
  readonly title: string;
  readonly asks: string;
  readonly note?: string;
  readonly options: readonly PermissionOption[];
}

interface AskedQuestion {
  readonly kind: "question";
  readonly id: ElicitationId;
  /** Absent when an agent asks outside any session, while one signs in for example. */
  readonly sessionId?: SessionId;
  readonly title: string;
  readonly asks: string;
  readonly url?: string;
  readonly fields: readonly QuestionField[];
}

/** Something an agent waits for, as the command line shows it. */
export type OpenRequest = AskedPermission | AskedQuestion;

export function openRequestOf(sessionId: SessionId, title: string, pending: PendingRequest): OpenRequest {
  if (!isPermission(pending)) return { ...questionOf(pending), sessionId, title };
  const { permissionId: id, toolCall, options, note } = pending;
  const command = commandOf(toolCall.input);
  const asks = oneLine(
    command === null || toolCall.name.includes(command) ? toolCall.name : `${toolCall.name}: ${command}`,
    ASKED_CHARS_MAX,
  );
  return { kind: "permission", id, sessionId, title, asks, options, ...(note !== undefined && { note }) };
}

export function agentRequestOf(question: AgentQuestion): OpenRequest {
  return { ...questionOf(question), title: question.agentName };
}

function questionOf({ elicitationId: id, message, fields, url }: PendingQuestion) {
  return {
    kind: "question" as const,
    id,
    asks: oneLine(message, ASKED_CHARS_MAX),
    fields,
    ...(url !== undefined && { url }),
  };
}

/** What would be run, where the tool's input says so. */
function commandOf(input: unknown): string | null {
  const command: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "command") : undefined;
  if (typeof command === "string") return command;
  return Array.isArray(command) ? command.join(" ") : null;
}
