import { expect, test } from "bun:test";
import { followsAfterScroll, isAtEnd } from "./scroll-anchor.ts";

const place = (top: number) => ({ top, viewHeight: 500, contentHeight: 2_000 });

test("[TC-3.6a] within 50 px of the end counts as at the end", () => {
  expect([1_500, 1_450, 1_449].map((top) => isAtEnd(place(top)))).toEqual([true, true, false]);
  expect(isAtEnd({ top: 0, viewHeight: 500, contentHeight: 80 })).toBe(true);
});

test("[TC-3.6b] scrolling up stops following; growth below does not", () => {
  expect(followsAfterScroll(true, 1_500, place(1_400))).toBe(false);
  expect(followsAfterScroll(true, 1_400, place(1_400))).toBe(true);
});

test("[TC-3.6c] reaching the end resumes it; moving down elsewhere does not", () => {
  expect(followsAfterScroll(false, 900, place(1_200))).toBe(false);
  expect(followsAfterScroll(false, 1_200, place(1_460))).toBe(true);
});
