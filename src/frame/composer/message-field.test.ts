import { expect, test } from "bun:test";
import { type ComposerKey, type ComposerScene, composerIntent } from "./message-field.tsx";

const press = (key: string, more: Partial<ComposerKey> = {}): ComposerKey => ({
  key,
  shift: false,
  ctrl: false,
  alt: false,
  meta: false,
  isComposing: false,
  ...more,
});
const scene = (more: Partial<ComposerScene> = {}): ComposerScene => ({
  text: "text",
  queuedCount: 0,
  isRecalled: false,
  canSteer: false,
  ...more,
});

test("Enter sends, Shift+Enter inserts a line break, and an input method keeps its Enter", () => {
  expect(composerIntent(press("Enter"), scene())).toBe("send");
  expect(composerIntent(press("Enter", { shift: true }), scene())).toBeNull();
  expect(composerIntent(press("Enter", { isComposing: true }), scene())).toBeNull();
});

test("[X-6] arrow-up edits the last queued message only if the field is empty", () => {
  expect(composerIntent(press("ArrowUp"), scene({ text: "", queuedCount: 1 }))).toBe("edit-queued");
  expect(composerIntent(press("ArrowUp"), scene({ queuedCount: 1 }))).toBeNull();
  expect(composerIntent(press("ArrowUp", { shift: true }), scene({ text: "", queuedCount: 1 }))).toBeNull();
});

test("[X-6] Ctrl+Enter steers if the agent supports it, otherwise sends", () => {
  for (const modifier of [{ ctrl: true }, { meta: true }]) {
    expect(composerIntent(press("Enter", modifier), scene({ canSteer: true }))).toBe("steer");
    expect(composerIntent(press("Enter", modifier), scene())).toBe("send");
  }
  expect(composerIntent(press("Enter"), scene({ canSteer: true }))).toBe("send");
});

test("[X-6] without a queue the arrow keys recall earlier messages, from an empty field or an unchanged one", () => {
  expect(composerIntent(press("ArrowUp"), scene({ text: "" }))).toBe("recall-older");
  expect(composerIntent(press("ArrowDown"), scene({ text: "" }))).toBeNull();
  expect(composerIntent(press("ArrowUp"), scene({ isRecalled: true }))).toBe("recall-older");
  expect(composerIntent(press("ArrowDown"), scene({ isRecalled: true }))).toBe("recall-newer");
  expect(composerIntent(press("ArrowUp"), scene())).toBeNull();
  expect(composerIntent(press("ArrowUp", { alt: true }), scene({ isRecalled: true }))).toBeNull();
});
