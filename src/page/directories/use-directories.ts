import { useEffect, useRef, useState } from "preact/hooks";
import { ignore } from "../../lib/ignore.ts";
import type { Directories } from "../../protocol/directories.ts";
import { LatestAnswer } from "../search/latest-answer.ts";
import type { Shell } from "../state/shell.ts";

/** Fast typing asks once, not once per letter. */
const TYPING_PAUSE_MS = 60;

/** What the path could become, as the server sees it; null until something is asked. Completion that fails is no trouble: one can still type. */
export function useDirectories(shell: Shell, path: string | null): Directories | null {
  const [found, setFound] = useState<Directories | null>(null);
  const latest = useRef(new LatestAnswer()).current;
  useEffect(() => {
    latest.forget();
    if (path === null) {
      setFound(null);
      return;
    }
    const timer = setTimeout(() => void latest.ask(() => ask(shell, path), setFound), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [path]);
  return found;
}

async function ask(shell: Shell, path: string): Promise<Directories | null> {
  const answer = await shell.attempt({ type: "directories:list", path }, ignore("Add says what is wrong"));
  return answer?.type === "directories:list" ? answer : null;
}
