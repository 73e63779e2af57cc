interface QuestionFootProps {
  readonly action: string;
  /** Enter does not confirm an irreversible action. */
  readonly isDangerous: boolean;
  readonly isBusy?: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

/** The two answers to a question. */
export function QuestionFoot({ action, isDangerous, isBusy = false, onCancel, onConfirm }: QuestionFootProps) {
  return (
    <footer class="dialog-foot">
      <span class="spacer" />
      <button type="button" class="button ghost" data-first-focus={isDangerous ? "" : undefined} onClick={onCancel}>
        Cancel
      </button>
      <button
        type="button"
        class={isDangerous ? "button danger" : "button primary"}
        data-first-focus={isDangerous ? undefined : ""}
        aria-disabled={isBusy ? "true" : undefined}
        onClick={onConfirm}
      >
        {action}
      </button>
    </footer>
  );
}
