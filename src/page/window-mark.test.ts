import { expect, test } from "bun:test";
import { iconHref, windowTitle } from "./window-mark.ts";

test("X-11 the window title shows how many sessions are waiting, and the name of one", () => {
  expect([windowTitle(0, undefined), windowTitle(2, "Fix the build"), windowTitle(1, undefined)]).toEqual([
    "Liminal Builder",
    "(2) Fix the build · Liminal Builder",
    "(1) Liminal Builder",
  ]);
});

test("X-11 its icon shows the number, and none if nothing is waiting", () => {
  const svg = (waiting: number) => decodeURIComponent(iconHref(waiting));
  expect(svg(0)).not.toContain("<text");
  expect(svg(3)).toContain(">3</text>");
  expect(svg(12)).toContain(">9+</text>");
});
