import type { SearchHit } from "../../protocol/search.ts";
import { SEARCH_QUERY_CHARS_MAX } from "../../protocol/search.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { ChoosingInput } from "../controls/choosing-input.tsx";
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
