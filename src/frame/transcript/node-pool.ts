import { createRowNode } from "./create-row-node.ts";
import { placeChildren } from "./place-children.ts";
import type { KeyedNode, RowContext } from "./row-node.ts";
import type { Row } from "./rows.ts";

/** The nodes that are on screen, by key. A row that is the same object as before costs one comparison. */
export class NodePool {
  readonly #context: RowContext;
  readonly #nodes = new Map<string, { node: KeyedNode; row: Row }>();

  constructor(context: Omit<RowContext, "createNode">) {
    this.#context = { ...context, createNode: (row) => createRowNode(row, this.#context) };
  }

  /** The node of a row, made or brought up to date. */
  show(row: Row): HTMLElement {
    const known = this.#nodes.get(row.key);
    if (known?.row === row) return known.node.element;
    if (known?.node.update(row)) {
      known.row = row;
      return known.node.element;
    }
    const node = createRowNode(row, this.#context);
    if (known) known.node.element.replaceWith(node.element);
    this.#nodes.set(row.key, { node, row });
    return node.element;
  }

  /** The element of a row that is on screen. */
  elementOf(key: string): HTMLElement | null {
    return this.#nodes.get(key)?.node.element ?? null;
  }

  /** Brings a row up to date if it is on screen, and does nothing for one that is not. */
  refresh(row: Row): void {
    if (this.#nodes.has(row.key)) this.show(row);
  }

  release(key: string): void {
    this.#nodes.delete(key);
  }

  /** Forgets the nodes that are no longer in the page. */
  releaseDetached(): void {
    for (const [key, { node }] of this.#nodes) if (!node.element.isConnected) this.#nodes.delete(key);
  }

  tick(now: number): void {
    for (const { node } of this.#nodes.values()) node.tick(now);
  }

  /** Makes `rows` the children of `container`, moving and touching only what is out of place. */
  place(container: Element, rows: readonly Row[]): void {
    placeChildren(
      container,
      rows.map((row) => this.show(row)),
    );
  }
}
