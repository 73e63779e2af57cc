import { Icon } from "../../ui/icons/icon.tsx";
import { ChoosingInput } from "../controls/choosing-input.tsx";
import type { PaletteEntry } from "./palette-entry.ts";
import { LIST_ID, optionId } from "./palette-list.tsx";

const QUERY_CHARS_MAX = 200;

interface PaletteFieldProps {
  readonly query: string;
  /** The entry that Enter takes. */
  readonly current: PaletteEntry | undefined;
  readonly onType: (typed: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onEnter: () => void;
}

export function PaletteField({ query, current, ...on }: PaletteFieldProps) {
  return (
    <div class="palette-input">
      <Icon name="search" />
      <ChoosingInput
        label="Search or run a command"
        placeholder="A session, a project, or what to do"
        charsMax={QUERY_CHARS_MAX}
        text={query}
        listId={LIST_ID}
        currentId={current && optionId(current)}
        {...on}
      />
      <span aria-hidden="true">
        <kbd>Esc</kbd>
      </span>
    </div>
  );
}
