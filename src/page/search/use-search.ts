import { useEffect, useRef, useState } from "preact/hooks";
import type { SearchHit } from "../../protocol/search.ts";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { LatestAnswer } from "./latest-answer.ts";
import { type SearchWish, searchRequest } from "./search-wish.ts";

/** Fast typing asks once, not once per letter. */
const TYPING_PAUSE_MS = 80;

export type Searching =
  | { readonly phase: "nothing-asked" }
  | { readonly phase: "found"; readonly hits: readonly SearchHit[] }
  | { readonly phase: "failed"; readonly trouble: Trouble };

interface SearchState {
  readonly searching: Searching;
  /** The shown results are not those of the present question yet. */
  readonly isBehind: boolean;
  readonly again: () => void;
}

/** The results of the newest question; until they are there, those of the one before stay. */
export function useSearch(shell: Shell, wish: SearchWish): SearchState {
  const [searching, setSearching] = useState<Searching>({ phase: "nothing-asked" });
  const [isBehind, setBehind] = useState(false);
  const [round, setRound] = useState(0);
  const latest = useRef(new LatestAnswer()).current;
  const request = searchRequest(wish);
  const question = JSON.stringify(request);
  useEffect(() => {
    latest.forget();
    setBehind(request !== null);
    if (request === null) {
      setSearching({ phase: "nothing-asked" });
      return;
    }
    const show = (next: Searching) => {
      setSearching(next);
      setBehind(false);
    };
    const timer = setTimeout(() => void latest.ask(() => search(shell, request), show), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [question, round]);
  return { searching, isBehind, again: () => setRound(round + 1) };
}

async function search(shell: Shell, request: NonNullable<ReturnType<typeof searchRequest>>): Promise<Searching> {
  let trouble: Trouble = { code: null, message: "The server gave no results." };
  const answer = await shell.attempt(request, (_words, told) => {
    trouble = told;
  });
  return answer?.type === "search:results" ? { phase: "found", hits: answer.hits } : { phase: "failed", trouble };
}
