import { describe, expect, it } from "bun:test";
import { dropIndex } from "./tab-bar.tsx";

/** Three tabs of 100 px: A, B, C. */
const EDGES = [0, 100, 200].map((left) => ({ left, right: left + 100 }));

describe("dropIndex", () => {
  it.each([
    ["[TC-4.6a] C onto the middle of B", 2, 150, 1],
    ["[TC-4.6a] C just before the edge between A and B", 2, 95, 1],
    ["[TC-4.6a] C just after the edge between A and B", 2, 105, 1],
    ["C onto the middle of A", 2, 50, 0],
    ["C left of everything", 2, -40, 0],
    ["A onto the middle of B", 0, 150, 1],
    ["A onto the near edge of B stays", 0, 110, 0],
    ["A right of everything", 0, 900, 2],
    ["B onto itself", 1, 150, 1],
  ])("%s", (_case, dragged, x, index) => {
    expect(dropIndex(EDGES, dragged, x)).toBe(index);
  });
});
