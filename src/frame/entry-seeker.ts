import type { EntryId } from "../protocol/ids.ts";
import type { PortletCommand } from "../protocol/portlet-messages.ts";
import type { SessionState } from "../protocol/session-schema.ts";
import type { PortletState } from "./portlet-state.ts";

export const GONE_WORDS = "This message is no longer in the session. Search again to see what is there now.";

/** What looking for an entry comes to, as things stand. */
export type Seeking =
  | { readonly step: "wait" }
  | { readonly step: "found" }
  | { readonly step: "ask"; readonly before: EntryId; readonly command: PortletCommand }
  | { readonly step: "gone" };

/** The next step towards an entry that may be far back: all from there on, in few answers. Pure. */
export function seekEntry({ session, isOpened, pageAskedBefore }: PortletState, wanted: EntryId): Seeking {
  if (!isOpened) return { step: "wait" };
  if (holds(session, wanted)) return { step: "found" };
  const oldest = (session.settled[0] ?? session.open[0])?.entryId;
  if (!session.hasMore || oldest === undefined) return { step: "gone" };
  if (pageAskedBefore === oldest) return { step: "wait" };
  return { step: "ask", before: oldest, command: { type: "session:page", before: oldest, until: wanted } };
}

function holds({ settled, open }: SessionState, wanted: EntryId): boolean {
  const isWanted = ({ entryId }: { readonly entryId: EntryId }) => entryId === wanted;
  return settled.some(isWanted) || open.some(isWanted);
}
