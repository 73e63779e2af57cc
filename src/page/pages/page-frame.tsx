import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Shell } from "../state/shell.ts";

interface PageFrameProps {
  readonly shell: Shell;
  /** The class of the page, such as "usage-page". */
  readonly name: string;
  readonly title: string;
  /** Content beside the title. */
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Esc is in the page's own table of keys. */
  readonly hasOwnEscape?: boolean;
  /** Its own keys, wherever in the page the focus is. */
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A page instead of the sessions: its title takes the focus when it opens, and Esc returns to the session. */
export function PageFrame(props: PageFrameProps) {
  const { shell, name, title, head, children, hasOwnEscape = false, onKeyDown } = props;
  const place = useRef<HTMLDivElement>(null);
  const heading = useHeadingFocus();
  useLayoutEffect(() => {
    if (hasOwnEscape) return undefined;
    // Of the whole document: the button that had the focus may have gone, and the focus with it.
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      const { activeElement: at, body } = document;
      const isHere = at === body || place.current?.contains(at) === true;
      if (!isHere || shell.dialog.peek().kind !== "none") return;
      event.preventDefault();
      leavePage(shell);
    };
    addEventListener("keydown", onEscape);
    return () => removeEventListener("keydown", onEscape);
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of a page work anywhere in it
    <div class={`page page-frame ${name}`} ref={place} onKeyDown={onKeyDown}>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {head}
      </header>
      {children}
    </div>
  );
}

/**
 * Focuses the heading after the first render. A dialog that led here keeps the focus a moment longer, so this is
 * repeated after the paint, unless the user is in the page already.
 */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const { current } = heading;
    if (current?.closest(".page")?.contains(document.activeElement) === false) current.focus({ preventScroll: true });
  }, []);
  return heading;
}

/** Back to the session that was in view. */
export function leavePage(shell: Shell): void {
  shell.page.value = null;
  const { active } = shell.tabs.peek();
  if (active !== null) shell.focusWanted.value = { id: active };
}
