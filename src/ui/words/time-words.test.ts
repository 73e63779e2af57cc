import { expect, it } from "bun:test";
import { relativeAge } from "./time-words.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const before = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

it.each([
  ["a clock ahead of ours", -5, "now"],
  ["under a minute", 0.9, "now"],
  ["minutes", 3, "3m"],
  ["the last minute of an hour", 59.9, "59m"],
  ["hours", 60, "1h"],
  ["days", 2 * 24 * 60, "2d"],
  ["the last day of a week", 7 * 24 * 60 - 1, "6d"],
  ["weeks", 15 * 24 * 60, "2w"],
])("[TC-2.1a] returns %s", (_case, minutes, age) => {
  expect(relativeAge(before(minutes), NOW)).toBe(age);
});

it("returns now for an invalid time", () => {
  expect(relativeAge("soon", NOW)).toBe("now");
});
