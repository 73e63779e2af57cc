import { visibleOneLine } from "../lib/visible-text.ts";
import { commandOf } from "../protocol/command-of.ts";
import { isPermission, requestIdOf } from "../protocol/pending-request.ts";
import type { PermissionToolCall } from "../protocol/session-parts.ts";
import { permissionQuestion } from "../ui/permissions/permission-words.ts";
import type { PortletState } from "./portlet-state.ts";
import type { AskedAloud } from "./transcript/live-speaker.ts";

const SPOKEN_CHARS_MAX = 400;

/** The request that is shown, as it is spoken: who asks, what, and about what. */
export function askedAloud({ session, agentName }: PortletState): AskedAloud | null {
  const [first] = session.pending;
  if (first === undefined) return null;
  const words = isPermission(first)
    ? `${permissionQuestion(first.toolCall)} ${subjectOf(first.toolCall)}`
    : first.message;
  return { id: requestIdOf(first), words: `${agentName} asks: ${words}` };
}

/** The command itself, since a name may say something else; what is longer is read in the card. */
function subjectOf({ name, input }: PermissionToolCall): string {
  const command = commandOf(input);
  const words = command === null || name.includes(command) ? name : `${name}: ${command}`;
  return words.length > SPOKEN_CHARS_MAX
    ? `${visibleOneLine(words.slice(0, SPOKEN_CHARS_MAX))} … and more`
    : visibleOneLine(words);
}
