import type { Shell } from "../state/shell.ts";
import { Dialog } from "./dialog.tsx";

interface ConfirmDialogProps {
  readonly shell: Shell;
  readonly title: string;
  readonly words: string;
  readonly action: string;
  readonly onConfirm: () => void;
}

/** Asks once, in words that say what happens and what does not. */
export function ConfirmDialog({ shell, title, words, action, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <p>{words}</p>
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          Cancel
        </button>
        <button
          type="button"
          class="button primary"
          data-first-focus
          onClick={() => {
            shell.closeDialog();
            onConfirm();
          }}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
