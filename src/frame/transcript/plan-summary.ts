import type { PlanItem } from "../../protocol/entry.ts";

export type PlanSegment = "done" | "now" | "todo";

export interface PlanSummary {
  readonly done: number;
  readonly total: number;
  readonly segments: readonly PlanSegment[];
  /** The step under way, else the next one; empty when all are done. */
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
