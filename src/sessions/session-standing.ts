import type { Draft } from "../ports/session-log.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { SessionResumed } from "../protocol/server-messages.ts";
import type { SessionState } from "../protocol/session-state.ts";

/** Where a session stands, as a follower needs it besides the entries. */
export function sessionStanding(
  sessionId: SessionId,
  state: SessionState,
  draft: Draft,
): Omit<SessionResumed, "type" | "requestId"> {
  const { seq, turn, pending, visits, queue, queuePaused, config, title, titleSource, archived, waits } = state;
  return {
    sessionId,
    seq,
    turn,
    pending: [...pending],
    visits: [...visits],
    queue: [...queue],
    queuePaused,
    config,
    title,
    titleSource,
    archived,
    ...(waits !== undefined && { waits: [...waits] }),
    ...(draft.content !== "" && { draft: draft.content }),
    ...(draft.attachments.length > 0 && { draftAttachments: [...draft.attachments] }),
  };
}
