import { isPermission } from "../protocol/pending-request.ts";
import type { ComposerState } from "./composer/composer-state.ts";
import type { PortletState } from "./portlet-state.ts";
import type { RowsInput } from "./transcript/rows.ts";

/** What the transcript is made of: the session, and the messages this page has just sent. */
export function rowsInputOf({ session, status, agentName }: PortletState, { outgoing }: ComposerState): RowsInput {
  const { settled, open, turn, pending } = session;
  return {
    settled,
    open,
    turn,
    status,
    agentName,
    pending: outgoing.filter(({ place }) => place === "transcript"),
    asked: new Set(pending.flatMap((one) => (isPermission(one) ? one.toolCall.toolCallId : (one.toolCallId ?? [])))),
  };
}
