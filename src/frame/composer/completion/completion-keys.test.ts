import { expect, test } from "bun:test";
import { completionIntent, moveSelection } from "./completion-popup.tsx";

const OPEN = { count: 3, isBusy: false, isComposing: false };

test("[X-7] Tab and Enter complete, the arrows choose, Escape closes", () => {
  expect(
    ["Enter", "Tab", "ArrowUp", "ArrowDown", "Escape", "a"].map((key) => completionIntent(key, false, OPEN)),
  ).toEqual(["choose", "choose", "next", "previous", "close", null]);
});

test("[X-7] nothing is sent while an answer is on its way, and nothing is chosen that is not the answer", () => {
  for (const count of [0, 3]) {
    expect(completionIntent("Enter", false, { ...OPEN, count, isBusy: true })).toBe("wait");
    expect(completionIntent("Tab", false, { ...OPEN, count, isBusy: true })).toBe("wait");
  }
});

test("[X-7] a list without options leaves every key to the field", () => {
  for (const key of ["Enter", "Tab", "ArrowUp", "ArrowDown", "Escape"])
    expect(completionIntent(key, false, { ...OPEN, count: 0 })).toBeNull();
});

test("[X-7] an input method and modifiers keep their keys", () => {
  expect(completionIntent("Enter", false, { ...OPEN, isComposing: true })).toBeNull();
  expect(completionIntent("Enter", true, OPEN)).toBeNull();
});

test("the choice goes round", () => {
  expect([moveSelection(0, 3, 1), moveSelection(2, 3, 1), moveSelection(0, 3, -1), moveSelection(0, 0, 1)]).toEqual([
    1, 0, 2, 0,
  ]);
});
