import type { Shell } from "../state/shell.ts";
import { Dialog } from "./dialog.tsx";

interface ConfirmDialogProps {
  readonly shell: Shell;
  readonly title: string;
  readonly words: string;
  readonly action: string;
  /** What cannot be undone is not what Enter does by itself. */
  readonly isDangerous?: boolean;
  readonly onConfirm: () => void;
}

/** Asks once, in words that say what happens and what does not. */
export function ConfirmDialog({ shell, title, words, action, isDangerous = false, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={() => shell.closeDialog()}>
      <div class="dialog-body">
        <p>{words}</p>
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button
          type="button"
          class="button ghost"
          data-first-focus={isDangerous ? "" : undefined}
          onClick={() => shell.closeDialog()}
        >
          Cancel
        </button>
        <button
          type="button"
          class={isDangerous ? "button danger" : "button primary"}
          data-first-focus={isDangerous ? undefined : ""}
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
