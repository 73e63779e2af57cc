import { type ReadonlySignal, signal } from "@preact/signals";
import type { ChangesScope } from "../protocol/changes.ts";

/** A file and a range of lines in it, from 1. */
export interface FilePlace {
  readonly path: string;
  readonly lines: { readonly from: number; readonly to: number } | null;
}

/** The views of the side panel. */
export type PanelView =
  | { readonly name: "files"; readonly place: FilePlace | null }
  /** `scope` null: what is unreviewed, or all changes when nothing is. `path`: the file to show first. */
  | { readonly name: "changes"; readonly scope: ChangesScope | null; readonly path: string | null };
export type PanelName = PanelView["name"];

/** The panel beside the transcript; one view at a time. */
export class SidePanel {
  readonly #view = signal<PanelView | null>(null);
  /** The element that was focused before. */
  #opener: HTMLElement | null = null;

  get view(): ReadonlySignal<PanelView | null> {
    return this.#view;
  }

  open(view: PanelView): void {
    const { activeElement } = document;
    if (this.#view.peek() === null) this.#opener = activeElement instanceof HTMLElement ? activeElement : null;
    this.#view.value = view;
  }

  /** Opens the Changes view; without a path, at its first file. */
  openChanges(scope: ChangesScope | null, path: string | null = null): void {
    this.open({ name: "changes", scope, path });
  }

  /** Closes the view when it is open, else opens it. */
  toggle(view: PanelView): void {
    if (this.#view.peek()?.name === view.name) this.close();
    else this.open(view);
  }

  /** Focuses the panel if an element in it had the focus, so that its keys work; false otherwise. */
  takeFocus(around: Element): boolean {
    if (around.closest(".side-panel") === null) return false;
    around.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
    return true;
  }

  /** False if none was open. The focus returns to the opener, unless it is outside the panel already. */
  close(): boolean {
    if (this.#view.peek() === null) return false;
    const { activeElement, body } = document;
    const isBeside = activeElement !== null && activeElement !== body && activeElement.closest(".side-panel") === null;
    this.#view.value = null;
    if (!isBeside && this.#opener?.isConnected) this.#opener.focus();
    this.#opener = null;
    return true;
  }
}
