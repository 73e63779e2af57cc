import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { type FilterState, filteredRows, isFiltering, labelsOf, NO_FILTER } from "../state/session-filter.ts";
import type { Shell } from "../state/shell.ts";

const STATE_WORDS: Readonly<Record<FilterState, string>> = {
  unread: "Unread",
  waiting: "Waiting",
  working: "Working",
  failed: "Failed",
  pinned: "Pinned",
};
const STATES = Object.keys(STATE_WORDS) as readonly FilterState[];

/** Narrows the sessions of the sidebar and the overview, which share one filter. Esc ends it. */
export function SessionFilterBar({ shell, takesFocus = false }: { shell: Shell; takesFocus?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);
  const filter = shell.filter.value;
  const { sessions } = shell.server.value;
  const change = (next: Partial<typeof filter>) => {
    shell.filter.value = { ...filter, ...next };
  };
  const count = filteredRows(sessions, filter).size;
  return (
    <search
      class="session-filter"
      aria-label="Filter sessions"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        shell.filter.value = NO_FILTER;
        document.querySelector<HTMLElement>("[data-filter-button]")?.focus();
      }}
    >
      <div class="field">
        <Icon name="filter" class="icon-sm" />
        <input
          ref={field}
          type="text"
          aria-label="Filter by title or label"
          placeholder="Title or label"
          autocomplete="off"
          value={filter.text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
        {isFiltering(filter) && (
          <button
            type="button"
            class="icon-button small"
            aria-label="Clear filter"
            title="Clear filter"
            onClick={() => {
              shell.filter.value = { ...NO_FILTER, isOpen: filter.isOpen };
              field.current?.focus();
            }}
          >
            <Icon name="close" class="icon-sm" />
          </button>
        )}
      </div>
      <div class="filter-chips">
        {STATES.map((state) => (
          <Chip
            key={state}
            words={STATE_WORDS[state]}
            isOn={filter.states.includes(state)}
            onToggle={() => change({ states: toggled(filter.states, state) })}
          />
        ))}
        {labelsOf(sessions.values()).map((label) => (
          <Chip
            key={`label ${label}`}
            words={label}
            isLabel
            isOn={filter.labels.includes(label)}
            onToggle={() => change({ labels: toggled(filter.labels, label) })}
          />
        ))}
      </div>
      <p class={isFiltering(filter) ? "filter-count" : "visually-hidden"} role="status">
        {isFiltering(filter) && `${count} of ${sessions.size} sessions`}
      </p>
    </search>
  );
}

interface ChipProps {
  readonly words: string;
  readonly isOn: boolean;
  readonly isLabel?: boolean;
  readonly onToggle: () => void;
}

function Chip({ words, isOn, isLabel = false, onToggle }: ChipProps) {
  return (
    <button type="button" class="filter-chip" aria-pressed={isOn} onClick={onToggle}>
      {isLabel && <Icon name="tag" class="icon-sm" />}
      <span class="truncate">{words}</span>
    </button>
  );
}

function toggled<Value>(list: readonly Value[], value: Value): readonly Value[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
}
