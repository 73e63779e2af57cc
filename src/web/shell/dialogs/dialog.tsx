import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../icons/icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly headEnd?: ComponentChildren;
}

/** The platform's own modal dialog: it holds the focus while it is there and gives it back when it goes. */
export function Dialog({ title, onClose, children, headEnd }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby={titleId} closedby="any" onClose={onClose}>
      <header class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {headEnd}
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
