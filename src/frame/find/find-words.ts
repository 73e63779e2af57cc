import type { FindModel } from "./find-model.ts";

/** "3 of 17", and what is still being looked at. */
export function findWords(model: FindModel, isFetchingOlder: boolean): string {
  if (model.pattern === null) return "";
  const { total, position } = model;
  const count =
    total === 0
      ? model.isDone && !isFetchingOlder
        ? "No results"
        : ""
      : `${position.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  const more = isFetchingOlder ? "searching older…" : model.isDone ? "" : "searching…";
  return [count, more].filter((words) => words !== "").join(" · ");
}
