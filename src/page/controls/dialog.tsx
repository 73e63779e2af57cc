import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icons/icon.tsx";
import type { Shell } from "../state/shell.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly headEnd?: ComponentChildren;
  readonly wide?: boolean;
  /** Its field is its head: the title is only read out. */
  readonly isPalette?: boolean;
  /** Esc and a click beside it belong to what is inside: only its own buttons close it. */
  readonly keepsEscape?: boolean;
}

/** The platform's own modal dialog: it holds the focus while it is there and gives it back when it goes. */
export function Dialog(props: DialogProps) {
  const { title, onClose, children, headEnd, wide = false, isPalette = false, keepsEscape = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  const titleId = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    return () => {
      // The close event comes later; by then another dialog may be open.
      isShown.current = false;
      element?.close();
    };
  }, []);
  return (
    <dialog
      class={`dialog${wide ? " wide" : ""}${isPalette ? " palette" : ""}`}
      ref={dialog}
      aria-labelledby={titleId}
      closedby={keepsEscape ? "none" : "any"}
      onClose={() => {
        if (isShown.current) onClose();
      }}
    >
      {/* No header element: outside of sectioning content that is a landmark, and dialogs can stand above each other. */}
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {headEnd}
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmDialogProps {
  readonly shell: Shell;
  readonly title: string;
  readonly words: string;
  readonly action: string;
  /** Enter does not confirm what cannot be undone. */
  readonly isDangerous?: boolean;
  readonly onConfirm: () => void;
}

/** Asks for confirmation and says what will happen. */
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
