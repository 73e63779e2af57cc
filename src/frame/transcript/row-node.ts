import type { MarkdownView } from "../../ui/markdown/markdown-view.ts";
import type { EntryRow, Row } from "./rows.ts";

/** What a row looks like: made once, then patched in place for as long as its row is on screen. */
export interface RowNode<Kind extends Row = Row> {
  readonly element: HTMLElement;
  update(row: Kind): void;
  /** Called about once a second while the frame is shown: for clocks and ages. */
  tick?(now: number): void;
}

/** A node that knows which rows it can take: a key that changes its kind gets a node of the other kind. */
export interface KeyedNode {
  readonly element: HTMLElement;
  /** False when this row needs another kind of node. */
  update(row: Row): boolean;
  tick(now: number): void;
}

/** What the parts may ask of the view they stand in. */
export interface RowContext {
  /** Whether the user opened or closed this row; undefined when they did not touch it. */
  isOpened(key: string): boolean | undefined;
  /** Does a change of height that the user asked for: `header` stays where it is on screen. */
  toggle(key: string, isOpen: boolean, header: Element, change: () => void): void;
  /** Whether the reader is in the middle of this element, so that it must not close by itself. */
  isBeingRead(element: Element): boolean;
  /** Markdown whose finished code blocks get their colours. */
  createProse(): MarkdownView;
  /** For a row inside a row. */
  createNode(row: EntryRow): KeyedNode;
  now(): number;
  /** Who answers in this session. */
  agentName(): string;
  /** Where it works: paths inside are shown from there on. */
  directory(): string;
}
