import { useEffect, useRef, useState } from "preact/hooks";
import { SEARCH_QUERY_CHARS_MAX, type SearchHit } from "../../protocol/search.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ChoosingInput } from "../controls/choosing-input.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { groupHits, hitKey } from "./group-hits.ts";
import { LatestAnswer } from "./latest-answer.ts";
import { SearchFilters } from "./search-filters.tsx";
import { RESULTS_ID, SearchResults } from "./search-results.tsx";
import { countWords, NO_WISH, type SearchWish, searchRequest } from "./search-wish.ts";

/** Finds what was said, in any session, by any agent, at any time; by keyboard from the first letter to the hit. */
export function SearchDialog({ shell, query = "" }: { shell: Shell; query?: string | undefined }) {
  const [wish, setWish] = useState<SearchWish>({ ...NO_WISH, query });
  const { searching, isBehind, again } = useSearch(shell, wish);
  const [active, setActive] = useState(0);
  const change = (changed: Partial<SearchWish>) => {
    setWish({ ...wish, ...changed });
    setActive(0);
  };
  const groups = groupHits(searching.phase === "found" ? searching.hits : []);
  const hits = groups.flatMap((group) => group.hits);
  const place = Math.min(active, hits.length - 1);
  const current = hits[place];
  const go = (hit: SearchHit | undefined) => {
    if (hit) void openHit(shell, hit);
  };
  return (
    <Dialog title="Search" wide onClose={() => shell.closeDialog()}>
      <div class="search-head">
        <SearchField
          query={wish.query}
          current={current}
          onType={(query) => change({ query })}
          onStep={(steps) => setActive((place + steps + hits.length) % hits.length)}
          onEnter={() => go(current)}
        />
        <SearchFilters shell={shell} wish={wish} onChange={change} />
      </div>
      <div class="search-body" aria-busy={isBehind}>
        <SearchResults
          shell={shell}
          groups={groups}
          current={current}
          onOpen={go}
          onPoint={(hit) => setActive(hits.indexOf(hit))}
        />
        <Instead
          searching={searching}
          wish={wish}
          isBehind={isBehind}
          onAgain={again}
          onArchived={() => change({ includeArchived: true })}
        />
      </div>
      <footer class="dialog-foot search-foot">
        <span role="status">{statusWords(searching, isBehind, hits.length, groups.length)}</span>
        <span class="spacer" />
        <span class="faint wide-only" aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close
        </span>
      </footer>
    </Dialog>
  );
}

interface InsteadProps {
  readonly searching: Searching;
  readonly wish: SearchWish;
  readonly isBehind: boolean;
  readonly onAgain: () => void;
  readonly onArchived: () => void;
}

/** What stands where no results are. */
function Instead({ searching, wish, isBehind, onAgain, onArchived }: InsteadProps) {
  if (searching.phase === "failed")
    return (
      <TroubleNotice trouble={searching.trouble}>
        <button type="button" class="button" onClick={onAgain}>
          Try again
        </button>
      </TroubleNotice>
    );
  if (searching.phase === "found" && searching.hits.length > 0) return null;
  if (isBehind) return <p class="search-empty">Searching…</p>;
  if (searching.phase === "nothing-asked")
    return (
      <p class="search-empty">
        Finds titles, messages, answers, thoughts, what tools were given and what they said, and the files they touched.
      </p>
    );
  return (
    <div class="search-empty">
      <p>Nothing found. Try fewer words, or the beginning of one.</p>
      {!wish.includeArchived && (
        <button type="button" class="button" onClick={onArchived}>
          Look in archived sessions too
        </button>
      )}
    </div>
  );
}

function statusWords({ phase }: Searching, isBehind: boolean, hits: number, sessions: number): string {
  if (isBehind) return "Searching…";
  if (phase !== "found") return "";
  return hits === 0 ? "No results" : countWords(hits, sessions);
}

interface SearchFieldProps {
  readonly query: string;
  /** The hit that Enter opens. */
  readonly current: SearchHit | undefined;
  readonly onType: (query: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onEnter: () => void;
}

export function SearchField({ query, current, ...on }: SearchFieldProps) {
  return (
    <div class="field">
      <Icon name="search" class="icon-sm" />
      <ChoosingInput
        label="Search everything"
        placeholder={'Words, or a "phrase"'}
        charsMax={SEARCH_QUERY_CHARS_MAX}
        text={query}
        listId={RESULTS_ID}
        currentId={current && hitKey(current)}
        {...on}
      />
    </div>
  );
}

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
