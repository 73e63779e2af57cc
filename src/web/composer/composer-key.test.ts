import { expect, test } from "bun:test";
import { type ComposerKey, composerIntent } from "./composer-key.ts";

const press = (key: string, more: Partial<ComposerKey> = {}): ComposerKey => ({
  key,
  shift: false,
  ctrl: false,
  alt: false,
  meta: false,
  isComposing: false,
  ...more,
});

test("Enter sends, Shift+Enter breaks, and an input method keeps its Enter", () => {
  expect(composerIntent(press("Enter"), "text", 0)).toBe("send");
  expect(composerIntent(press("Enter", { shift: true }), "text", 0)).toBeNull();
  expect(composerIntent(press("Enter", { isComposing: true }), "text", 0)).toBeNull();
});

test("[X-6] arrow-up edits the last queued message only when nothing is typed", () => {
  expect(composerIntent(press("ArrowUp"), "", 1)).toBe("edit-queued");
  expect(composerIntent(press("ArrowUp"), "text", 1)).toBeNull();
  expect(composerIntent(press("ArrowUp"), "", 0)).toBeNull();
  expect(composerIntent(press("ArrowUp", { shift: true }), "", 1)).toBeNull();
});
