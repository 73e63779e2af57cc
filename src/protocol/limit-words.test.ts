import { expect, test } from "bun:test";
import { clockWords, limitName, pauseReason, pauseWords } from "./limit-words.ts";

const at = (hours: number, minutes: number, day = 15) => new Date(2026, 10, day, hours, minutes);
const usage = { kind: "usage", window: "5-hour", text: "used up", resetsAt: at(23, 50).toISOString() } as const;
const pause = { limit: usage, dueAt: at(23, 51).toISOString(), resumesAt: null, tries: 0, isUntouched: true };

test("a pause states what is used up and until when", () => {
  expect(pauseWords(pause, at(23, 3).getTime())).toBe("5-hour limit · until 23:50 (in 47 min)");
  expect(pauseWords({ ...pause, resumesAt: pause.dueAt }, at(21, 0).getTime())).toBe(
    "5-hour limit · resumes 23:51 (in 2 h 51 min)",
  );
  expect(pauseWords(pause, at(23, 55).getTime())).toBe("5-hour limit · ended at 23:50");
  expect(pauseWords({ ...pause, dueAt: null, limit: { kind: "quota", text: "x" } }, 0)).toBe("Quota used up");
});

test("another day is named", () => {
  expect(clockWords(at(1, 5, 16).toISOString(), at(23, 0).getTime())).toBe("Nov 16, 01:05");
  expect(
    pauseWords({ ...pause, limit: { ...usage, resetsAt: at(23, 50, 18).toISOString() } }, at(23, 50).getTime()),
  ).toBe("5-hour limit · until Nov 18, 23:50 (in 3 days)");
});

test("agents get it in one line", () => {
  expect(pauseReason({ ...pause, resumesAt: at(23, 50).toISOString() }, at(23, 0).getTime())).toBe(
    "usage limit, resumes 23:50",
  );
  expect(pauseReason(pause, at(23, 0).getTime())).toBe("usage limit until 23:50; it continues when the user says so");
  expect(limitName({ kind: "rate", text: "429" })).toBe("Too many requests");
});
