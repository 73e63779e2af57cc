import { useEffect } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import { chordKeys, isMac } from "../../ui/keys/chord-keys.ts";
import { Mark } from "../controls/mark.tsx";
import type { PaletteEntry } from "./palette-entry.ts";
import type { PaletteGroup, PaletteHit } from "./rank-entries.ts";

export const LIST_ID = "palette-list";

export function optionId({ id }: PaletteEntry): string {
  return `palette-${id.replaceAll(/\s/g, "-")}`;
}

interface PaletteListProps {
  readonly groups: readonly PaletteGroup[];
  /** Below the groups, whatever fits. */
  readonly more: readonly PaletteEntry[];
  readonly current: PaletteEntry | undefined;
  readonly onChoose: (entry: PaletteEntry) => void;
  readonly onPoint: (entry: PaletteEntry) => void;
}

/** The choices. The focus stays in the field; what Enter takes is marked here. */
export function PaletteList({ groups, more, current, onChoose, onPoint }: PaletteListProps) {
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

/** The letters that were typed stand out, neighbours together. */
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
