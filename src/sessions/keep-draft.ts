import type { SessionLog } from "../ports/session-log.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE } from "../protocol/errors.ts";
import type { Answer } from "./answer.ts";
import { refuseAttachments } from "./meaning/refuse-attachments.ts";

/** What is being written is kept like what was said, and held to the same limits. */
export function keepDraft(log: SessionLog, message: Extract<ClientMessage, { type: "session:draft" }>): Answer {
  const { sessionId, content, attachments } = message;
  const isKnown = log.row(sessionId) !== null;
  const refusal = isKnown ? refuseAttachments(attachments ?? [], undefined) : REFUSE.sessionNotFound();
  if (refusal) return { kind: "refused", refusal };
  log.drafts.save(sessionId, content, attachments);
  return { kind: "ok" };
}
