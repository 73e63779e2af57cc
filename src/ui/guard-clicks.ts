const CONTROL = "button, a, summary, [role=button], [role=menuitem], [role=option], [role=tab]";
/** On a control that is meant to be clicked repeatedly; its effect can be undone. */
const REPEATABLE = "[data-repeatable]";

interface Pressed {
  readonly control: Element | null;
  readonly name: string;
}

/**
 * One press is one action, whatever moves meanwhile. The later clicks of a double click count only on the control of
 * the first one, and only while its label is the same: a row that moved up, a dialog that opened or a button with a new
 * meaning gets none of them. A held key presses a button once.
 */
export function guardClicks(page: Document): void {
  let first: Pressed = { control: null, name: "" };
  page.addEventListener(
    "mousedown",
    (event) => {
      if (event.detail <= 1) first = pressedBy(event);
    },
    { capture: true },
  );
  page.addEventListener(
    "click",
    (event) => {
      const { control, name } = pressedBy(event);
      if (event.detail <= 1 || control === null || control.matches(REPEATABLE)) return;
      if (control !== first.control || name !== first.name) stop(event);
    },
    { capture: true },
  );
  page.addEventListener(
    "keydown",
    (event) => {
      if (event.repeat && event.key === "Enter" && pressedBy(event).control !== null) stop(event);
    },
    { capture: true },
  );
}

function pressedBy({ target }: Event): Pressed {
  const control = target instanceof Element ? target.closest(CONTROL) : null;
  return { control, name: control?.getAttribute("aria-label") ?? control?.textContent ?? "" };
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
