import { createElement, setText } from "../../ui/create-element.ts";
import { createIcon } from "../../ui/icons/create-icon.ts";
import type { IconName } from "../../ui/icons/icon-shapes.ts";

/** An icon, or one of the state marks. */
type Lead = IconName | "working" | "waiting";

/** One line that expands: a lead mark, a name, a target, and the status at the right edge. */
export class DisclosureLine {
  readonly button = createElement("button", "line");
  readonly #lead = createElement("span", "lead");
  readonly #name = createElement("span", "name");
  readonly #target = createElement("span", "target");
  readonly #end = createElement("span", "end");
  #leadShown: Lead | null = null;
  #endShown = "";

  constructor(onToggle: (isOpen: boolean) => void) {
    this.button.type = "button";
    // The spaces are for copied text and screen readers; the layout does not show them.
    this.button.append(this.#lead, this.#name, " ", this.#target, " ", this.#end);
    this.button.addEventListener("click", () => onToggle(!this.isOpen));
    this.isOpen = false;
  }

  get isOpen(): boolean {
    return this.button.getAttribute("aria-expanded") === "true";
  }

  set isOpen(isOpen: boolean) {
    this.button.setAttribute("aria-expanded", String(isOpen));
  }

  setLead(lead: Lead): void {
    if (lead === this.#leadShown) return;
    this.#leadShown = lead;
    this.#lead.replaceChildren(createLead(lead), createIcon("chevron"));
  }

  /** `whole` is the full target, for the tooltip. */
  setName(name: string, target = "", whole = target): void {
    setText(this.#name, name);
    setText(this.#target, target);
    this.#target.hidden = target === "";
    if (target === "") this.#target.removeAttribute("title");
    else this.#target.title = whole;
  }

  /** `signature` identifies the content, so that an unchanged end is not built again. */
  setEnd(signature: string, build: () => (Node | string)[]): void {
    if (signature === this.#endShown) return;
    this.#endShown = signature;
    this.#end.replaceChildren(...build());
  }
}

function createLead(lead: Lead): Element {
  if (lead !== "working" && lead !== "waiting") return createIcon(lead);
  const mark = createElement("span", "mark");
  mark.dataset["state"] = lead;
  return mark;
}
