import { Icon } from "../../ui/icons/icon.tsx";

/** What was refused, in the words of the one who refused it; the text itself is back in the composer. */
export function ComposerError({ error, onDismiss }: { error: string | null; onDismiss: () => void }) {
  if (error === null) return null;
  return (
    <div class="notice composer-error" role="alert" data-severity="error">
      <Icon name="fail" />
      <div class="body">
        <p class="notice-words">{error}</p>
      </div>
      <button class="icon-button small" type="button" aria-label="Dismiss" onClick={onDismiss}>
        <Icon name="close" class="icon-sm" />
      </button>
    </div>
  );
}
