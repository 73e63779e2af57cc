import { Icon } from "../icons/icon.tsx";
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

/** Where the letters go. The focus stays here while the arrows walk through the choices. */
export function PaletteField({ query, current, onType, onStep, onEnter }: PaletteFieldProps) {
  const does: Readonly<Record<string, () => void>> = current
    ? { ArrowDown: () => onStep(1), ArrowUp: () => onStep(-1), Enter: onEnter }
    : {};
  return (
    <div class="palette-input">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-label="Go to or do"
        aria-expanded={current !== undefined}
        aria-controls={LIST_ID}
        aria-activedescendant={current && optionId(current)}
        aria-autocomplete="list"
        placeholder="A session, a project, or what to do"
        autocomplete="off"
        spellcheck={false}
        maxLength={QUERY_CHARS_MAX}
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
      <span aria-hidden="true">
        <kbd>Esc</kbd>
      </span>
    </div>
  );
}
