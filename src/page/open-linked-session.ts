import { SessionId } from "../protocol/ids.ts";
import type { Shell } from "./state/shell.ts";

/** An address may name a session (`liminal open <session>`): it is shown once, and leaves the address. */
export function openLinkedSession(shell: Shell): void {
  const session = new URLSearchParams(location.hash.slice(1)).get("session");
  if (session === null) return;
  const named = SessionId.safeParse(session);
  history.replaceState(null, "", location.pathname);
  if (named.success) shell.open(named.data, { focus: true });
}
