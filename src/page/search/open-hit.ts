import type { SearchHit } from "../../protocol/search.ts";
import type { Shell } from "../state/shell.ts";

/** Goes to where it was said. An archived session comes back to the list for it. */
export async function openHit(shell: Shell, { sessionId, projectId, entryId, archived }: SearchHit): Promise<void> {
  shell.closeDialog();
  if (archived) {
    // Its row has to be known before its tab can stand.
    await shell.attempt({ type: "session:list", projectId, includeArchived: true });
    if ((await shell.attempt({ type: "session:unarchive", sessionId })) === null) return;
  }
  if (entryId === undefined) shell.open(sessionId, { focus: true });
  else shell.openAt(sessionId, entryId);
}
