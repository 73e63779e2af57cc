import type { SessionId } from "../../protocol/ids.ts";
import type { PortletFact, PostedToPortlet, ShellToPortlet } from "../../protocol/portlet-messages.ts";
import type { ShownColumn } from "../state/split-view.ts";

const WHOLE = 100;
/** Limit of facts held for a hidden frame: few enough to be folded within the animation frame that shows it. */
const HELD_FACTS_MAX = 50;

/** Ids in the document that connect a tab to its panel. */
export const tabIdOf = (id: SessionId): string => `tab-${id}`;
export const panelIdOf = (id: SessionId): string => `panel-${id}`;

/** One iframe and its panel. Its node is never moved, because a moved iframe reloads. */
export class PortletFrame {
  readonly #panel = document.createElement("div");
  readonly #iframe = document.createElement("iframe");
  readonly #origin: string;
  #held: PortletFact[] = [];
  /** Its column, from the left; null while it is the only one in view. */
  #column: number | null = null;
  /** The frame has posted `portlet:ready`. */
  ready = false;

  constructor(container: Element, origin: string) {
    this.#origin = origin;
    this.#panel.className = "portlet";
    this.#panel.inert = true;
    this.#iframe.src = "/portlet";
    this.#iframe.setAttribute("aria-hidden", "true");
    this.#panel.append(this.#iframe);
    container.append(this.#panel);
  }

  /** Turns the spare into the frame of a session. */
  assign(id: SessionId): void {
    this.#panel.id = panelIdOf(id);
    this.#panel.setAttribute("role", "tabpanel");
    this.#panel.setAttribute("aria-labelledby", tabIdOf(id));
    this.#iframe.removeAttribute("aria-hidden");
    this.#iframe.dataset["sessionId"] = id;
  }

  setTitle(title: string): void {
    if (this.#iframe.title !== title) this.#iframe.title = title;
  }

  /** Its position in shares of the width: a frame is never moved in the document. */
  place({ start, width }: Pick<ShownColumn, "start" | "width">): void {
    this.#panel.style.setProperty("--column-start", `${start * WHOLE}%`);
    this.#panel.style.setProperty("--column-width", `${width * WHOLE}%`);
  }

  /**
   * The focus is inside. The shell's own active element is not reliable: it may still be the frame it gave the focus
   * to.
   */
  get hasFocus(): boolean {
    return this.#iframe.contentDocument?.hasFocus() === true;
  }

  /** A hidden frame stays laid out and alive, but nothing in it can be reached. */
  show(visible: boolean, column: number | null): void {
    if (this.visible === visible && this.#column === column) return;
    this.#column = column;
    this.#panel.inert = !visible;
    this.#panel.toggleAttribute("data-visible", visible);
    this.sendVisible();
  }

  sendVisible(): void {
    const column = this.#column === null ? {} : { column: this.#column };
    this.post({ type: "portlet:visible", visible: this.visible, ...column });
  }

  get visible(): boolean {
    return !this.#panel.inert;
  }

  /**
   * Messages before the frame is ready are dropped: it gets everything when it is. Messages to a hidden frame are
   * held and sent together, so that sessions in the background take no time from the one in view.
   */
  post(message: ShellToPortlet): void {
    if (!this.ready) return;
    if (!this.visible && "seq" in message && message.type !== "session:history" && message.type !== "session:resumed") {
      this.#held.push(message);
      if (this.#held.length >= HELD_FACTS_MAX) this.#sendHeld();
      return;
    }
    this.#sendHeld();
    this.#send(message);
  }

  /** Drops held messages: the frame is sent everything again. */
  forget(): void {
    this.#held = [];
  }

  #sendHeld(): void {
    if (this.#held.length === 0) return;
    this.#send({ type: "portlet:facts", facts: this.#held });
    this.#held = [];
  }

  #send(message: PostedToPortlet): void {
    this.#iframe.contentWindow?.postMessage(message, this.#origin);
  }

  speaks(source: MessageEventSource | null): boolean {
    return source !== null && source === this.#iframe.contentWindow;
  }

  /** Focuses the composer and inserts the text that was typed before the frame was ready. */
  focus(typed = ""): void {
    // A user who types in the shell or has opened a dialog meanwhile keeps the focus there.
    if (document.activeElement instanceof HTMLInputElement || document.querySelector("dialog[open]") !== null) return;
    // Until the frame is ready the shell keeps the focus: keys inside the frame would be lost.
    if (!this.ready) return;
    this.#iframe.focus();
    this.#focusComposer(typed);
    this.post({ type: "portlet:focus" });
  }

  /** After a dialog: focuses the element in the side panel that had the focus, else the composer. */
  giveFocusBack(): void {
    this.#iframe.focus();
    const { activeElement = null } = this.#iframe.contentDocument ?? {};
    if (activeElement === null || activeElement.closest(".side-panel") === null) this.focus();
  }

  /** Not by a message: a key could arrive before it, and would be lost. */
  #focusComposer(typed: string): void {
    const inside = this.#iframe.contentDocument;
    const field = inside?.querySelector<HTMLTextAreaElement>("#message");
    if (!inside || !field) return;
    if (typed !== "" || inside.activeElement === inside.body) field.focus();
    if (typed === "") return;
    field.setRangeText(typed, field.value.length, field.value.length, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }

  /** Focuses the frame; its content decides where. */
  focusInside(): void {
    this.#iframe.focus();
  }

  /** Removes the focus from the frame. */
  blur(): void {
    this.#iframe.blur();
  }

  remove(): void {
    this.#panel.remove();
  }
}
