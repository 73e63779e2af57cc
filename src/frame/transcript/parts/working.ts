import { createElement, setText } from "../../../ui/create-element.ts";
import type { RowNode } from "../row-node.ts";
import type { TailRow } from "../rows.ts";

type WorkingRow = Extract<TailRow, { kind: "working" }>;

/** Shows that the agent is busy while nothing on screen moves; no article, since it is no part of the record. */
export class WorkingNode implements RowNode<WorkingRow> {
  readonly element = createElement("div", "entry entry-working");
  readonly #words = createElement("span", "name muted");

  constructor(row: WorkingRow) {
    const mark = createElement("span", "mark");
    mark.dataset["state"] = "working";
    this.element.append(createElement("div", "line", createElement("span", "lead", mark), this.#words));
    this.update(row);
  }

  update(row: WorkingRow): void {
    this.element.dataset["gap"] = row.gap;
    setText(this.#words, row.words);
  }
}
