import type { SearchHit } from "../../protocol/search.ts";
import { SEARCH_QUERY_CHARS_MAX } from "../../protocol/search.ts";
import { Icon } from "../icons/icon.tsx";
import { hitKey } from "./group-hits.ts";
import { RESULTS_ID } from "./search-results.tsx";

interface SearchFieldProps {
  readonly query: string;
  /** The hit that Enter opens. */
  readonly current: SearchHit | undefined;
  readonly onType: (query: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onEnter: () => void;
}

/** Where the words go. The focus stays here while the arrows walk through the results. */
export function SearchField({ query, current, onType, onStep, onEnter }: SearchFieldProps) {
  const does: Readonly<Record<string, () => void>> = current
    ? { ArrowDown: () => onStep(1), ArrowUp: () => onStep(-1), Enter: onEnter }
    : {};
  return (
    <div class="field">
      <Icon name="search" class="icon-sm" />
      <input
        type="text"
        role="combobox"
        inputMode="search"
        aria-label="Search everything"
        aria-expanded={current !== undefined}
        aria-controls={RESULTS_ID}
        aria-activedescendant={current && hitKey(current)}
        aria-autocomplete="list"
        placeholder={'Words, or a "phrase"'}
        autocomplete="off"
        spellcheck={false}
        maxLength={SEARCH_QUERY_CHARS_MAX}
        data-first-focus
        value={query}
        onInput={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          const act = event.isComposing ? undefined : does[event.key];
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
      />
    </div>
  );
}
