import { expect, test } from "bun:test";
import { iconHref, windowTitle } from "./window-mark.ts";

test("X-11 the window's name says how many wait, and where one is", () => {
  expect([windowTitle(0, undefined), windowTitle(2, "Fix the build"), windowTitle(1, undefined)]).toEqual([
    "Liminal Builder",
    "(2) Fix the build · Liminal Builder",
    "(1) Liminal Builder",
  ]);
});

test("X-11 its mark carries the number, and none when nobody waits", () => {
  const svg = (waiting: number) => decodeURIComponent(iconHref(waiting));
  expect(svg(0)).not.toContain("<text");
  expect(svg(3)).toContain(">3</text>");
  expect(svg(12)).toContain(">9+</text>");
});
