import type { CommandId } from "../protocol/ids.ts";
import type { SessionState } from "../protocol/session-schema.ts";
import type { Outgoing } from "./composer/composer-state.ts";

/** A message that was just sent is among the newest entries; looking further back would cost with the length of the session. */
const SEARCHED_ENTRIES = 200;

/** Which of the sent messages the server has: they are entries, or they wait in its queue. */
export function confirmedCommands(outgoing: readonly Outgoing[], session: SessionState): ReadonlySet<CommandId> {
  if (outgoing.length === 0) return new Set();
  const known = new Set<CommandId>(session.queue.map(({ commandId }) => commandId));
  for (const entry of [...session.settled.slice(-SEARCHED_ENTRIES), ...session.open]) {
    if (entry.type === "user" && entry.commandId !== undefined) known.add(entry.commandId);
  }
  return new Set(outgoing.flatMap(({ commandId }) => (known.has(commandId) ? [commandId] : [])));
}
