import { useState } from "preact/hooks";
import type { SearchHit } from "../../protocol/search.ts";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { groupHits } from "./group-hits.ts";
import { openHit } from "./open-hit.ts";
import styles from "./search-dialog.css" with { type: "text" };
import { SearchField } from "./search-field.tsx";
import { SearchFilters } from "./search-filters.tsx";
import { SearchResults } from "./search-results.tsx";
import { NO_WISH, type SearchWish } from "./search-wish.ts";
import { countWords } from "./search-words.ts";
import { type Searching, useSearch } from "./use-search.ts";

/** Finds what was said, in any session, by any agent, at any time; by keyboard from the first letter to the hit. */
export function SearchDialog({ shell, query = "" }: { shell: Shell; query?: string | undefined }) {
  const [wish, setWish] = useState<SearchWish>({ ...NO_WISH, query });
  const { searching, isBehind, again } = useSearch(shell, wish);
  const [active, setActive] = useState(0);
  adoptStyles(styles);
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
