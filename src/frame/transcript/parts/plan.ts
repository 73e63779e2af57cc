import type { PlanItem } from "../../../protocol/entry.ts";
import { createElement } from "../../../ui/create-element.ts";
import { createIcon } from "../../../ui/icons/create-icon.ts";
import type { RowNode } from "../row-node.ts";
import type { EntryRow } from "../rows.ts";
import { createArticle, markArticle } from "./article.ts";

/** The agent's plan in the transcript: progress at a glance, and every step once it is done or its turn has ended. */
export class PlanNode implements RowNode<EntryRow> {
  readonly element = createArticle("plan", "entry-plan");
  #shown: readonly PlanItem[] | null = null;
  #isLive = false;

  constructor(row: EntryRow) {
    this.update(row);
  }

  update(row: EntryRow): void {
    if (row.entry.type !== "plan") return;
    markArticle(this.element, row);
    const { items } = row.entry;
    if (items === this.#shown && row.live === this.#isLive) return;
    this.#shown = items;
    this.#isLive = row.live;
    // A plan that the agent cleared is hidden.
    this.element.hidden = items.length === 0;
    // While it is current, its steps are shown above the composer.
    this.element.replaceChildren(createHead(items, row.live), ...(row.live ? [] : [createItems(items)]));
  }
}

function createHead(items: readonly PlanItem[], isLive: boolean): HTMLElement {
  const { done, total, segments } = planSummary(items);
  const lead = createElement("span", "lead", createIcon("plan"));
  const name = createElement("span", "name", "Plan");
  // The progress is shown there, too: once is enough.
  if (isLive && done < total) {
    return createElement(
      "div",
      "line",
      lead,
      name,
      createElement("span", "note", total === 1 ? "1 step" : `${total} steps`),
    );
  }
  const bar = createElement("span", "segments", ...segments.map((state) => createElement("i", state)));
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", `${done} of ${total} done`);
  const count = createElement("span", "note", `${done} of ${total}`);
  return createElement("div", "line", lead, name, bar, count);
}

function createItems(items: readonly PlanItem[]): HTMLElement {
  const { segments } = planSummary(items);
  const rows = items.map((item, index) => {
    const state = segments[index] ?? "todo";
    return createElement("li", state, createMark(state), createElement("span", "", item.content));
  });
  return createElement("ol", "plan-items", ...rows);
}

function createMark(state: string): Node {
  if (state === "done") return createIcon("check");
  const mark = createElement("span", state === "now" ? "mark" : "");
  if (state === "now") mark.dataset["state"] = "working";
  return mark;
}

export type PlanSegment = "done" | "now" | "todo";

interface PlanSummary {
  readonly done: number;
  readonly total: number;
  readonly segments: readonly PlanSegment[];
  /** The current step, else the next one; empty if all are done. */
  readonly current: string;
}

/** A plan at a glance. */
export function planSummary(items: readonly PlanItem[]): PlanSummary {
  const segments = items.map(({ status }) => segmentOf(status));
  const at = segments.includes("now") ? segments.indexOf("now") : segments.indexOf("todo");
  return {
    done: segments.filter((segment) => segment === "done").length,
    total: items.length,
    segments,
    current: items[at]?.content ?? "",
  };
}

function segmentOf(status: string): PlanSegment {
  if (status === "completed") return "done";
  return status === "in_progress" ? "now" : "todo";
}
