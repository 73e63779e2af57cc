interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly words: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

/** A choice between a few labelled values. */
export function Choice<Value extends string>({ label, words, value, onChoose }: ChoiceProps<Value>) {
  const isOne = (text: string): text is Value => Object.hasOwn(words, text);
  const options = Object.keys(words).filter(isOne);
  return (
    <select
      class="native-select"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        if (isOne(chosen)) onChoose(chosen);
      }}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {words[option]}
        </option>
      ))}
    </select>
  );
}
