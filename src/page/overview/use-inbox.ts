import { useEffect, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { Shell } from "../state/shell.ts";
import { EMPTY_INBOX, foldInbox, type Inbox } from "./fold-inbox.ts";

/** What a tool does is told to followers only: while the overview is in view, it is asked for. */
const REFRESH_MS = 2_000;

/** What is open everywhere, current for as long as it is in view. */
export function useInbox(shell: Shell): Inbox {
  const [inbox, setInbox] = useState(EMPTY_INBOX);
  useEffect(() => {
    const ask = () => void shell.attempt({ type: "inbox:list" }, ignore("asked again in a moment"));
    const unlisten = shell.listen((message) => setInbox((known) => foldInbox(known, message)));
    ask();
    const timer = setInterval(ask, REFRESH_MS);
    return () => {
      clearInterval(timer);
      unlisten();
    };
  }, [shell]);
  return inbox;
}
