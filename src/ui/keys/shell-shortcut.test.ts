import { describe, expect, it } from "bun:test";
import { shellShortcut } from "./shell-shortcut.ts";
import type { Shortcut } from "./shortcut-table.ts";

const NONE = { ctrl: false, meta: false, shift: false, alt: false };
const press = (key: string, held: Partial<typeof NONE> = {}, typing = false) =>
  shellShortcut({ key, modifiers: { ...NONE, ...held }, typing });

describe("shellShortcut", () => {
  it.each([
    ["3 with Alt", press("3", { alt: true }), { do: "show-tab", index: 2 }],
    ["3 with Ctrl, also while typing", press("3", { ctrl: true }, true), { do: "show-tab", index: 2 }],
    ["1 with Cmd", press("1", { meta: true }), { do: "show-tab", index: 0 }],
    ["w with Alt", press("w", { alt: true }, true), { do: "close-tab" }],
    ["right with Alt and Shift", press("ArrowRight", { alt: true, shift: true }), { do: "move-tab", steps: 1 }],
    ["f with Ctrl and Shift, also while typing", press("F", { ctrl: true, shift: true }, true), { do: "search" }],
    ["f with Cmd and Shift", press("f", { meta: true, shift: true }), { do: "search" }],
    ["\\ with Alt, also while typing", press("\\", { alt: true }, true), { do: "split" }],
    ["\\ with Ctrl", press("\\", { ctrl: true }), { do: "split" }],
    ["w with Alt and Shift", press("W", { alt: true, shift: true }, true), { do: "close-column" }],
    ["] with Alt", press("]", { alt: true }, true), { do: "step-column", steps: 1 }],
    ["n", press("n"), { do: "new-session" }],
    ["[", press("["), { do: "step-tab", steps: -1 }],
  ] satisfies [string, Shortcut | null, Shortcut][])("%s", (_case, got, wanted) => {
    expect(got).toEqual(wanted);
  });

  it.each([
    ["n while typing", press("n", {}, true)],
    ["n with Ctrl, which opens a window", press("n", { ctrl: true })],
    ["0 with Alt", press("0", { alt: true })],
    ["3 alone", press("3")],
    ["AltGr and a digit, which types a sign", press("3", { ctrl: true, alt: true })],
  ])("ignores %s", (_case, got) => {
    expect(got).toBeNull();
  });
});
