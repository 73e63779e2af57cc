import { ClientMessage } from "../../protocol/client-messages.ts";
import type { CliType, SessionId } from "../../protocol/ids.ts";
import type { PortletToShell } from "../../protocol/portlet-messages.ts";

/** A frame speaks for its own session only: its command gets that session's id, and anything else is no command of a frame. */
export function completeCommand(
  message: PortletToShell,
  session: { readonly id: SessionId; readonly cliType: CliType },
): ClientMessage | null {
  const whole = { ...message, requestId: undefined, sessionId: session.id, cliType: session.cliType };
  const parsed = ClientMessage.safeParse(whole);
  return parsed.success && "sessionId" in parsed.data ? parsed.data : null;
}
