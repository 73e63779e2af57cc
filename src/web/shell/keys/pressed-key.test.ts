import { expect, test } from "bun:test";
import { pressedKey } from "./pressed-key.ts";
import { shellShortcut } from "./shell-shortcut.ts";

const option = (key: string, code: string, shift = false) =>
  shellShortcut({
    key: pressedKey({ key, code, altKey: true }, true),
    modifiers: { ctrl: false, meta: false, shift, alt: true },
    typing: true,
  });

test("X-15 on a Mac, chords with Option work although Option types signs", () => {
  expect(option("∑", "KeyW")).toEqual({ do: "close-tab" });
  expect(option("Dead", "KeyN")).toEqual({ do: "next-waiting" });
  expect(option("£", "Digit3")).toEqual({ do: "show-tab", index: 2 });
  expect(option("«", "Backslash")).toEqual({ do: "split" });
  expect(option("‘", "BracketRight")).toEqual({ do: "step-column", steps: 1 });
  expect(option("ˇ", "KeyT", true)).toEqual({ do: "reopen-tab" });
  expect(option("ArrowRight", "ArrowRight", true)).toEqual({ do: "move-tab", steps: 1 });
  // A German keyboard has its bracket on Option+5: there that is the fifth tab.
  expect(option("[", "Digit5")).toEqual({ do: "show-tab", index: 4 });
});

test("X-15 elsewhere, and without Option, the letter on the key counts, wherever it is", () => {
  expect(pressedKey({ key: "w", code: "KeyZ", altKey: true }, false)).toBe("w");
  expect(pressedKey({ key: "@", code: "KeyQ", altKey: false }, true)).toBe("@");
});
