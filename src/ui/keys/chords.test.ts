import { expect, test } from "bun:test";
import { pressedKey } from "./chords.ts";
import { shellShortcut } from "./shell-shortcut.ts";

const option = (key: string, code: string, shift = false) =>
  shellShortcut({
    key: pressedKey({ key, code, altKey: true }, true),
    modifiers: { ctrl: false, meta: false, shift, alt: true },
    typing: true,
  });

test("X-15 on a Mac, chords with Option work although Option types special characters", () => {
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

test("X-15 if the layout is not Latin, the position of the key counts (D1)", () => {
  const on = (key: string, code: string) => pressedKey({ key, code, altKey: false }, false);
  expect(["л", "κ", "ن", "ㅏ", "ก"].map((key) => on(key, "KeyK"))).toEqual(["k", "k", "k", "k", "k"]);
  expect([on("х", "BracketLeft"), on("б", "Comma"), on("٢", "Digit2"), on("ๅ", "Digit1")]).toEqual([
    "[",
    ",",
    "2",
    "1",
  ]);
  expect([on("ü", "BracketLeft"), on("é", "Digit2"), on("ñ", "Semicolon"), on("Enter", "Enter")]).toEqual([
    "ü",
    "é",
    "ñ",
    "Enter",
  ]);
});

test("X-15 chords with a sign or a digit work if the layout hides it; letters stay where the layout has them (D1)", () => {
  const none = { ctrl: false, meta: false, shift: false, alt: false };
  const at = (key: string, code: string, held: Partial<typeof none>) =>
    shellShortcut({ key, code, modifiers: { ...none, ...held }, typing: true });
  expect(at("#", "Backslash", { alt: true })).toEqual({ do: "split" });
  expect(at("ü", "BracketLeft", { alt: true })).toEqual({ do: "step-column", steps: -1 });
  expect(at("é", "Digit2", { ctrl: true })).toEqual({ do: "show-tab", index: 1 });
  expect(at("2", "Digit2", { ctrl: true, shift: true })).toEqual({ do: "show-tab", index: 1 });
  expect(at("@", "Digit2", { ctrl: true, shift: true })).toBeNull();
  expect(at("z", "KeyW", { alt: true })).toBeNull();
  // On a German keyboard Ctrl and minus, which is on the slash key, zooms out.
  expect(at("-", "Slash", { ctrl: true })).toBeNull();
  expect(at("ü", "BracketLeft", {})).toBeNull();
});
