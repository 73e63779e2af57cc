import { expect, test } from "bun:test";
import { dropPlace, moveQueued } from "./queued-messages.tsx";

test("[X-6] a message moves to another position, within the ends", () => {
  const queue = ["a", "b", "c"];
  expect(moveQueued(queue, 2, 0)).toEqual(["c", "a", "b"]);
  expect(moveQueued(queue, 0, 1)).toEqual(["b", "a", "c"]);
  expect(moveQueued(queue, 0, 9)).toEqual(["b", "c", "a"]);
  for (const [from, to] of [
    [0, -1],
    [2, 3],
    [1, 1],
    [-1, 0],
  ] as const)
    expect(moveQueued(queue, from, to)).toBe(queue);
});

test("[X-6] a dropped row takes the position of the row under the pointer, or the last", () => {
  const rows = [
    { top: 0, bottom: 30 },
    { top: 30, bottom: 60 },
  ];
  expect([-5, 10, 30, 59, 90].map((y) => dropPlace(rows, y))).toEqual([0, 0, 1, 1, 1]);
});
