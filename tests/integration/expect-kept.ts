import { expect } from "bun:test";
import type { Entry } from "../../src/protocol/entry.ts";

/** Everything a client had received is still there: in its order, once, and grown at most at its end. */
export function expectKept(received: readonly Entry[], stored: readonly Entry[]): void {
  expect(new Set(stored.map(({ entryId }) => entryId)).size).toBe(stored.length);
  expect(stored.slice(0, received.length).map(({ entryId }) => entryId)).toEqual(
    received.map(({ entryId }) => entryId),
  );
  received.forEach((before, index) => {
    const after = stored[index];
    expect(isGrownFrom(before, after) ? before : { before, after }).toEqual(before);
  });
}

function isGrownFrom(before: Entry, after: Entry | undefined): boolean {
  if (after?.type !== before.type || !after.content.startsWith(before.content)) return false;
  if (before.type === "user") return Bun.deepEquals(before, after);
  if (before.type !== "tool-call" || after.type !== "tool-call") return true;
  return (after.result ?? "").startsWith(before.result ?? "") && after.toolCallId === before.toolCallId;
}

/** `w1 w2 …`, as far as it goes: no word is missing, none comes twice, none is out of its place. */
export function expectUnbrokenWords(text: string): void {
  const words = text.trimEnd().split(" ");
  const last = words.at(-1) ?? "";
  const whole = words.slice(0, -1);
  expect(whole).toEqual(whole.map((_, index) => `w${index + 1}`));
  expect(`w${words.length}`.startsWith(last)).toBe(true);
}
