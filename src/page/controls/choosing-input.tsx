interface ChoosingInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly charsMax: number;
  readonly text: string;
  /** The id of the list, and of the option that Enter chooses. */
  readonly listId: string;
  readonly currentId: string | undefined;
  readonly onType: (text: string) => void;
  readonly onStep: (steps: 1 | -1) => void;
  readonly onEnter: () => void;
}

/** The input of a combobox. The focus stays here while the arrow keys move through the options. */
export function ChoosingInput(props: ChoosingInputProps) {
  const { label, placeholder, charsMax, text, listId, currentId, onType, onStep, onEnter } = props;
  const does: Readonly<Record<string, () => void>> =
    currentId === undefined ? {} : { ArrowDown: () => onStep(1), ArrowUp: () => onStep(-1), Enter: onEnter };
  return (
    <input
      type="text"
      role="combobox"
      inputMode="search"
      aria-label={label}
      aria-expanded={currentId !== undefined}
      aria-controls={listId}
      aria-activedescendant={currentId}
      aria-autocomplete="list"
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      maxLength={charsMax}
      data-first-focus
      value={text}
      onInput={(event) => onType(event.currentTarget.value)}
      onKeyDown={(event) => {
        const act = event.isComposing ? undefined : does[event.key];
        if (act === undefined) return;
        event.preventDefault();
        act();
      }}
    />
  );
}
