interface KeyHintProps {
  readonly name: string;
  /** The key that works while the cursor is in the message, where a plain letter is text. */
  readonly whileTyping?: string;
}

/** The shortcut of a button, shown inside it; not part of the button's name. */
export function KeyHint({ name, whileTyping }: KeyHintProps) {
  return (
    <span class="key-hint" aria-hidden="true">
      <kbd data-while-typing={whileTyping}>
        <span class="at-rest">{name}</span>
      </kbd>
    </span>
  );
}
