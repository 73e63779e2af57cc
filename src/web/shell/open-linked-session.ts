import { SessionId } from "../../protocol/ids.ts";
import type { Shell } from "./state/shell.ts";

const LINK = "#session=";

/** An address may name a session (`liminal open <session>`): it is shown once, and leaves the address. */
export function openLinkedSession(shell: Shell): void {
  const { hash } = location;
  if (!hash.startsWith(LINK)) return;
  const named = SessionId.safeParse(decodeURIComponent(hash.slice(LINK.length)));
  history.replaceState(null, "", location.pathname);
  if (named.success) shell.open(named.data, { focus: true });
}
