/** Never a button: a key on its way must not answer. */
const FIRST_FIELD = "[data-question] :is(input, select, textarea, [tabindex])";

/** Puts the cursor into the question that is open; false without one. */
export function focusQuestion(document: Document): boolean {
  const field = document.querySelector<HTMLElement>(FIRST_FIELD);
  field?.focus();
  return field !== null;
}

/** A question may take the cursor from an empty composer, never from someone who types or is elsewhere. */
export function mayTakeFocus(document: Document): boolean {
  if (!document.hasFocus() || matchMedia("(pointer: coarse)").matches) return false;
  const active = document.activeElement;
  if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) return active.value === "";
  return !(active instanceof HTMLSelectElement);
}
