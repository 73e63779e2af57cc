import type { SessionId } from "../../protocol/ids.ts";
import type { Json } from "../../protocol/json.ts";
import type { PendingQuestion, QuestionAction } from "../../protocol/question.ts";
import type { PendingPermission } from "../../protocol/session-parts.ts";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";

export function respondTo(
  shell: Shell,
  sessionId: SessionId,
  { permissionId }: PendingPermission,
  optionId: string,
): void {
  void shell.attempt({ type: "permission:respond", sessionId, permissionId, optionId });
}

export interface QuestionReply {
  readonly action: QuestionAction;
  readonly content?: Record<string, Json> | undefined;
}

/** `onRefused` hears what is wrong with the answer. */
export function replyTo(
  shell: Shell,
  sessionId: SessionId,
  { elicitationId }: PendingQuestion,
  { action, content }: QuestionReply,
  onRefused: (trouble: Trouble) => void,
): void {
  const reply = { type: "elicitation:respond", sessionId, elicitationId, action } as const;
  void shell.attempt(content === undefined ? reply : { ...reply, content }, (_words, trouble) => onRefused(trouble));
}
