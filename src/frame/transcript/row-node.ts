import type { MarkdownView } from "../../ui/markdown/markdown-view.ts";
import type { EntryRow, Row } from "./rows.ts";

/** The DOM of a row: created once, then patched in place while its row is on screen. */
export interface RowNode<Kind extends Row = Row> {
  readonly element: HTMLElement;
  update(row: Kind): void;
  /** Called about once a second while the frame is shown: for clocks and ages. */
  tick?(now: number): void;
}

/** A node with the rows it accepts: a key that changes its kind gets another node. */
export interface KeyedNode {
  readonly element: HTMLElement;
  /** False if this row needs another kind of node. */
  update(row: Row): boolean;
  tick(now: number): void;
}

/** What the parts need from the view. */
export interface RowContext {
  /** Whether the user opened or closed this row; undefined if they did not. */
  isOpened(key: string): boolean | undefined;
  /** Changes the height on the user's request: `header` stays in place on screen. */
  toggle(key: string, isOpen: boolean, header: Element, change: () => void): void;
  /** Whether the reader is inside this element, so that it must not close automatically. */
  isBeingRead(element: Element): boolean;
  /** Markdown whose finished code blocks are highlighted. */
  createProse(): MarkdownView;
  /** For a row inside a row. */
  createNode(row: EntryRow): KeyedNode;
  now(): number;
  /** The name of the session's agent. */
  agentName(): string;
  /** The working directory: paths inside are shown relative to it. */
  directory(): string;
}
