import { isPermission, requestIdOf } from "../../protocol/pending-request.ts";
import { permissionQuestion } from "../permissions/permission-words.ts";
import type { AskedAloud } from "../transcript/live-speaker.ts";
import type { PortletState } from "./portlet-state.ts";

/** The request that is shown, as it is spoken: who asks, what, and about what. */
export function askedAloud({ session, agentName }: PortletState): AskedAloud | null {
  const [first] = session.pending;
  if (first === undefined) return null;
  const words = isPermission(first) ? `${permissionQuestion(first.toolCall)} ${first.toolCall.name}` : first.message;
  return { id: requestIdOf(first), words: `${agentName} asks: ${words}` };
}
