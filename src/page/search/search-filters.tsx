import type { ComponentChildren } from "preact";
import type { Shell } from "../state/shell.ts";
import { KIND_CHOICES, type SearchWish } from "./search-wish.ts";

interface SearchFiltersProps {
  readonly shell: Shell;
  readonly wish: SearchWish;
  readonly onChange: (changed: Partial<SearchWish>) => void;
}

/** Narrows the search down: where, who, what, when, and which file. */
export function SearchFilters({ shell, wish, onChange }: SearchFiltersProps) {
  const { projects, agents, sessions } = shell.server.value;
  const used = new Set([...sessions.values()].map(({ cliType }) => cliType));
  const offered = agents.filter(
    ({ id, availability }) => availability === "ready" || used.has(id) || id === wish.cliType,
  );
  return (
    <fieldset class="search-filters" aria-label="Filters">
      <Named
        label="Project"
        all="All projects"
        choices={projects}
        value={wish.projectId ?? ""}
        onChoose={(chosen) => onChange({ projectId: projects.find(({ id }) => id === chosen)?.id ?? null })}
      />
      <Named
        label="Agent"
        all="All agents"
        choices={offered}
        value={wish.cliType ?? ""}
        onChoose={(chosen) => onChange({ cliType: agents.find(({ id }) => id === chosen)?.id ?? null })}
      />
      <Choice label="Kind" value={String(wish.kind)} onChoose={(chosen) => onChange({ kind: Number(chosen) })}>
        {KIND_CHOICES.map(({ words }, index) => (
          <option key={words} value={String(index)}>
            {words}
          </option>
        ))}
      </Choice>
      <Day label="From" value={wish.from} onChoose={(from) => onChange({ from })} />
      <Day label="To" value={wish.to} onChoose={(to) => onChange({ to })} />
      <input
        type="text"
        class="native-select search-path"
        aria-label="File touched"
        placeholder="File touched"
        autocomplete="off"
        spellcheck={false}
        value={wish.path}
        onInput={(event) => onChange({ path: event.currentTarget.value })}
      />
      <label class="search-check">
        <input
          type="checkbox"
          checked={wish.includeArchived}
          onChange={(event) => onChange({ includeArchived: event.currentTarget.checked })}
        />
        Include archived
      </label>
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly children?: ComponentChildren;
}

interface NamedProps extends ChoiceProps {
  readonly all: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
}

function Named({ all, choices, ...choice }: NamedProps) {
  return (
    <Choice {...choice}>
      <option value="">{all}</option>
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

function Choice({ label, value, onChoose, children }: ChoiceProps) {
  return (
    <select
      class="native-select"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {children}
    </select>
  );
}

function Day({ label, value, onChoose }: ChoiceProps) {
  return (
    <label class="search-day">
      {label}
      <input
        type="date"
        class="native-select"
        data-empty={value === "" ? "" : undefined}
        value={value}
        onInput={(event) => onChoose(event.currentTarget.value)}
      />
    </label>
  );
}
