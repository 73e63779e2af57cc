/** The key that does the same as the button it stands in; seen, but no part of the button's name. */
export function KeyHint({ name }: { name: string }) {
  return (
    <span class="key-hint" aria-hidden="true">
      <kbd>{name}</kbd>
    </span>
  );
}
