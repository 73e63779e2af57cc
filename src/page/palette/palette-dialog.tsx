import { useEffect, useMemo, useState } from "preact/hooks";
import { z } from "zod/mini";
import { ignore } from "../../lib/ignore.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { readKept, writeKept } from "../../ui/kept-json.ts";
import { chordKeys, isMac } from "../../ui/keys/chords.ts";
import { ChoosingInput } from "../controls/choosing-input.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Mark } from "../controls/mark.tsx";
import { useSnippets } from "../snippets/use-snippets.ts";
import type { Shell } from "../state/shell.ts";
import { commandEntries, type PaletteEntry, sessionEntries, snippetEntries } from "./palette-entries.ts";
import { type PaletteGroup, type PaletteHit, rankEntries } from "./rank-entries.ts";

/** The command palette: opens sessions and runs commands by a few letters. */
export function PaletteDialog({ shell }: { shell: Shell }) {
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const recent = useMemo(recentChoices, []);
  const sessions = sessionEntries(shell.server.value, shell.nowMs.value, shell.shownSession());
  const snippets = useSnippets(shell, ignore("the rest of the palette works without them"));
  const offered = [...sessions, ...commandEntries(shell), ...snippetEntries(shell, snippets ?? [])];
  const ranked = rankEntries(offered, query, recent);
  const entries = [...ranked.flatMap(({ hits }) => hits.map(({ entry }) => entry)), ...elsewhere(query)];
  const place = Math.min(active, entries.length - 1);
  const current = entries[place];
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    keepChoice(entry.id);
    shell.closeDialog();
    entry.act(shell);
  };
  const step = (steps: number) => setActive((place + steps + entries.length) % entries.length);
  return (
    <Dialog title="Command palette" isPalette onClose={() => shell.closeDialog()}>
      <PaletteField
        query={query}
        current={current}
        onType={(typed) => {
          setQuery(typed);
          setActive(0);
        }}
        onStep={step}
        onEnter={() => choose(current)}
      />
      <PaletteList
        groups={ranked}
        more={elsewhere(query)}
        current={current}
        onChoose={choose}
        onPoint={(entry) => setActive(entries.findIndex(({ id }) => id === entry.id))}
      />
      <p class="visually-hidden" role="status">
        {entries.length === 1 ? "1 choice" : `${entries.length} results`}
      </p>
      <Keys />
    </Dialog>
  );
}

function Keys() {
  return (
    <footer class="palette-foot" aria-hidden="true">
      <span>
        <kbd>↑</kbd>
        <kbd>↓</kbd> move
      </span>
      <span>
        <kbd>Enter</kbd> open
      </span>
      <span>
        <kbd>&gt;</kbd> commands only
      </span>
    </footer>
  );
}

/** Offers a full-text search for text that matches no entry. */
function elsewhere(typed: string): readonly PaletteEntry[] {
  const query = typed.trim();
  if (query === "" || query.startsWith(">")) return [];
  return [
    {
      id: "search",
      group: "Commands",
      words: `Search all sessions for “${query}”`,
      detail: "",
      icon: "search",
      act: (shell) => {
        shell.dialog.value = { kind: "search", query };
      },
    },
  ];
}

const QUERY_CHARS_MAX = 200;

interface PaletteFieldProps {
  readonly query: string;
  /** The entry that Enter chooses. */
  readonly current: PaletteEntry | undefined;
  readonly onType: (typed: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onEnter: () => void;
}

function PaletteField({ query, current, ...on }: PaletteFieldProps) {
  return (
    <div class="palette-input">
      <Icon name="search" />
      <ChoosingInput
        label="Search or run a command"
        placeholder="Type a session, project or command"
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

export const LIST_ID = "palette-list";

export function optionId({ id }: PaletteEntry): string {
  return `palette-${id.replaceAll(/\s/g, "-")}`;
}

interface PaletteListProps {
  readonly groups: readonly PaletteGroup[];
  /** Below the groups, if they fit. */
  readonly more: readonly PaletteEntry[];
  readonly current: PaletteEntry | undefined;
  readonly onChoose: (entry: PaletteEntry) => void;
  readonly onPoint: (entry: PaletteEntry) => void;
}

/** The entries. The focus stays in the field; the entry that Enter chooses is marked here. */
function PaletteList({ groups, more, current, onChoose, onPoint }: PaletteListProps) {
  const currentId = current && optionId(current);
  useEffect(() => {
    if (currentId !== undefined) document.getElementById(currentId)?.scrollIntoView({ block: "nearest" });
  }, [currentId]);
  const option = (hit: PaletteHit) => (
    <Option key={hit.entry.id} hit={hit} isCurrent={hit.entry.id === current?.id} {...{ onChoose, onPoint }} />
  );
  return (
    <div class="palette-list" id={LIST_ID} role="listbox" aria-label="Choices">
      {groups.map(({ title, hits }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div key={title} role="group" aria-label={title}>
          <h3 role="presentation">{title}</h3>
          {hits.map(option)}
        </div>
      ))}
      {more.map((entry) => option({ entry, indexes: [] }))}
    </div>
  );
}

interface OptionProps {
  readonly hit: PaletteHit;
  readonly isCurrent: boolean;
  readonly onChoose: (entry: PaletteEntry) => void;
  readonly onPoint: (entry: PaletteEntry) => void;
}

function Option({ hit: { entry, indexes }, isCurrent, onChoose, onPoint }: OptionProps) {
  const { words, detail, icon, mark, note, chord } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field does it
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    <div
      class="palette-option"
      role="option"
      id={optionId(entry)}
      aria-selected={isCurrent}
      onClick={() => onChoose(entry)}
      onPointerMove={() => {
        if (!isCurrent) onPoint(entry);
      }}
    >
      {mark === undefined ? <Icon name={icon} /> : <Mark state={mark} />}
      <span class="words truncate">
        <Matched words={words} indexes={indexes} />
      </span>
      <span class="sub truncate">{detail}</span>
      <span class="end" aria-hidden="true">
        {mark !== undefined && <Icon name={icon} class="icon-sm agent" />}
        {note}
        {chord !== undefined && chordKeys(chord, isMac()).map((key) => <kbd key={key}>{key}</kbd>)}
      </span>
    </div>
  );
}

/** Highlights the typed letters, adjacent ones together. */
function Matched({ words, indexes }: { words: string; indexes: readonly number[] }) {
  const typed = new Set(indexes);
  const runs: { text: string; isTyped: boolean }[] = [];
  for (const [at, letter] of words.split("").entries()) {
    const last = runs.at(-1);
    const isTyped = typed.has(at);
    if (last?.isTyped === isTyped) last.text += letter;
    else runs.push({ text: letter, isTyped });
  }
  return runs.map(({ text, isTyped }, at) => (isTyped ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>));
}

const RECENT_KEY = "liminal:palette";
const RECENT_CHOICES_MAX = 20;
const Recent = z.array(z.string());

/** Recently chosen entries, latest first. */
function recentChoices(): readonly string[] {
  return readKept(RECENT_KEY, Recent, []);
}

function keepChoice(id: string): void {
  writeKept(RECENT_KEY, [id, ...recentChoices().filter((other) => other !== id)].slice(0, RECENT_CHOICES_MAX));
}
