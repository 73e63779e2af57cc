import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { canHaveFocus } from "../../ui/controls/keep-focus.ts";
import { Icon } from "../../ui/icons/icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly headEnd?: ComponentChildren;
  readonly wide?: boolean;
  /** The input field replaces the visible title, which is for screen readers only. */
  readonly isPalette?: boolean;
  /** On a narrow screen it rises from the lower edge. */
  readonly isSheet?: boolean;
  /** Esc and clicks outside are handled by the content: only its own buttons close it. */
  readonly keepsEscape?: boolean;
}

/**
 * The focused element may be removed, such as a button whose work is done: then the next one is focused, not the page
 * behind.
 */
function keepFocus(dialog: HTMLDialogElement | null, lost: EventTarget | null): void {
  if (!dialog?.open || document.activeElement !== document.body || !document.hasFocus()) return;
  // A user who clicks beside everything wants no focus.
  if (!(lost instanceof HTMLElement) || canHaveFocus(lost)) return;
  const next = dialog.querySelector<HTMLElement>("[data-first-focus]") ?? dialog.querySelector(".dialog-head button");
  if (next instanceof HTMLElement && isInView(next)) next.focus({ preventScroll: true });
}

/** If the user has scrolled on, the focus stays near the removed element: Tab continues there. */
function isInView(element: HTMLElement): boolean {
  const around = element.closest(".dialog-body")?.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return around === undefined || (top >= around.top && bottom <= around.bottom);
}

/** The platform's modal dialog: it traps the focus while open and restores it when closed. */
export function Dialog(props: DialogProps) {
  const { title, onClose, children, headEnd, wide = false, isPalette = false } = props;
  const { isSheet = false, keepsEscape = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  const titleId = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    const keep = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget === null) queueMicrotask(() => keepFocus(element, target));
    };
    element?.addEventListener("focusout", keep);
    return () => {
      element?.removeEventListener("focusout", keep);
      // The close event comes later; by then another dialog may be open.
      isShown.current = false;
      element?.close();
    };
  }, []);
  const tellClosed = () => {
    if (isShown.current) onClose();
    isShown.current = false;
  };
  return (
    <dialog
      class={`dialog${wide ? " wide" : ""}${isPalette ? " palette" : ""}${isSheet ? " sheet-dialog" : ""}`}
      ref={dialog}
      aria-labelledby={titleId}
      closedby={keepsEscape ? "none" : "any"}
      // Esc: handled at once, because the close event comes after keys that were pressed meanwhile, which would be
      // lost.
      onCancel={({ target, currentTarget }) => {
        if (target === currentTarget) tellClosed();
      }}
      onClose={tellClosed}
    >
      {/* Not a header element: outside of sectioning content that is a landmark, and dialogs can be nested. */}
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
