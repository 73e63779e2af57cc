import { expect, test } from "bun:test";
import type { Cadence } from "../../protocol/schedules.ts";
import { cadenceOf, cadenceWords, formOf, newForm } from "./repeat.ts";

const cron = (text: string): Cadence => ({ kind: "cron", cron: text, zone: "Europe/Berlin" });
const EMPTY = newForm("UTC", 0);

test("CV-41 a cadence and its form are equivalent, whichever fields it fills", () => {
  const cases: readonly (readonly [Cadence, string, string])[] = [
    [cron("5 * * * *"), "hourly", "Every hour at :05 (Europe/Berlin)"],
    [cron("0 9 * * *"), "daily", "Every day at 09:00 (Europe/Berlin)"],
    [cron("30 22 * * 1-5"), "weekdays", "Monday to Friday at 22:30 (Europe/Berlin)"],
    [cron("0 9 * * 0"), "weekly", "Every Sunday at 09:00 (Europe/Berlin)"],
    [cron("*/15 9-17 * * *"), "custom", "*/15 9-17 * * * (Europe/Berlin)"],
    [cron("0 9 1 * *"), "custom", "0 9 1 * * (Europe/Berlin)"],
  ];
  for (const [cadence, repeat, words] of cases) {
    const form = formOf(cadence, EMPTY);
    expect(form.repeat).toBe(repeat as typeof form.repeat);
    expect(cadenceOf(form)).toEqual(cadence);
    expect(cadenceWords(cadence)).toBe(words);
  }
  const once: Cadence = { kind: "once", at: "2026-11-18T09:30:00.000Z" };
  expect(cadenceOf(formOf(once, EMPTY))).toEqual(once);
  expect(formOf(cron("0 9 * * 7"), EMPTY).day).toBe("0");
});

test("CV-41 an incomplete form has no cadence", () => {
  for (const missing of [
    { repeat: "once", at: "" },
    { repeat: "custom", cron: " " },
    { repeat: "daily", time: "" },
    { repeat: "daily", zone: "" },
  ] as const)
    expect(cadenceOf({ ...EMPTY, ...missing })).toBeNull();
});
