import { createElement } from "../../../ui/create-element.ts";
import { DisclosureLine } from "../disclosure-line.ts";
import { placeChildren } from "../place-children.ts";
import type { KeyedNode, RowContext } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";

/** What a sub-agent said and did, under the call it worked for: open while it works, then folded to a count. */
export class SubAgentBlock {
  readonly element = createElement("div", "sub-agent");
  readonly #context: RowContext;
  readonly #line: DisclosureLine;
  readonly #list = createElement("div", "sub-agent-list");
  readonly #nodes = new Map<string, { node: KeyedNode; row: EntryRow }>();
  #parent: EntryRow;

  constructor(parent: EntryRow, context: RowContext) {
    this.#context = context;
    this.#parent = parent;
    this.#line = new DisclosureLine((isOpen) =>
      context.toggle(this.#key(), isOpen, this.#line.button, () => this.#show(isOpen)),
    );
    this.#line.setLead("branch");
    this.element.append(this.#line.button, this.#list);
  }

  update(parent: EntryRow): void {
    this.#parent = parent;
    const count = countOf(parent.children);
    this.#line.setName(`${count.toLocaleString("en")} ${count === 1 ? "step" : "steps"} of a sub-agent`);
    this.#show(this.#context.isOpened(this.#key()) ?? (isAtWork(parent) || this.#staysForReader()));
  }

  tick(now: number): void {
    for (const { node } of this.#nodes.values()) node.tick(now);
  }

  #key(): string {
    return `${this.#parent.key}/sub-agent`;
  }

  /** Closing what is being read would take the text out from under the eyes. */
  #staysForReader(): boolean {
    return this.#line.isOpen && this.#context.isBeingRead(this.element);
  }

  #show(isOpen: boolean): void {
    this.#line.isOpen = isOpen;
    this.#list.hidden = !isOpen;
    if (isOpen)
      placeChildren(
        this.#list,
        this.#parent.children.map((row) => this.#node(row)),
      );
    else {
      this.#list.replaceChildren();
      this.#nodes.clear();
    }
  }

  #node(row: EntryRow): HTMLElement {
    const known = this.#nodes.get(row.key);
    if (known && (known.row === row || known.node.update(row))) {
      known.row = row;
      return known.node.element;
    }
    const node = this.#context.createNode(row);
    this.#nodes.set(row.key, { node, row });
    return node.element;
  }
}

function countOf(rows: readonly EntryRow[]): number {
  return rows.reduce((count, { children }) => count + 1 + countOf(children), 0);
}

function isAtWork({ entry, children }: EntryRow): boolean {
  const isRunning = entry.type === "tool-call" && entry.status === "running";
  return isRunning || children.some((child) => child.live || child.asks);
}
