import { describe, expect, it, test } from "bun:test";
import { seededRandom } from "../../../tests/support/seeded-random.ts";
import { RefusalError } from "../../protocol/errors.ts";
import type { Cadence } from "../../protocol/schedules.ts";
import { checkCadence, newestDue, nextDue } from "./cadence.ts";

const cron = (text: string, zone = "UTC"): Cadence => ({ kind: "cron", cron: text, zone });
const ms = (iso: string) => Date.parse(iso);
const DAY_MS = 86_400_000;

function times(cadence: Cadence, from: string, count: number): string[] {
  const found: string[] = [];
  for (let after = ms(from); found.length < count; ) {
    const next = nextDue(cadence, after);
    if (next === null) break;
    found.push(new Date(next).toISOString().replace(":00.000Z", "Z"));
    after = next;
  }
  return found;
}

describe("when a schedule is due", () => {
  const cases: readonly (readonly [string, string, string, string, readonly string[]])[] = [
    [
      "in its own zone",
      "0 9 * * *",
      "America/New_York",
      "2026-11-18T00:00Z",
      ["2026-11-18T14:00Z", "2026-11-19T14:00Z"],
    ],
    ["in a zone of half an hour", "0 9 * * *", "Asia/Kolkata", "2026-11-18T00:00Z", ["2026-11-18T03:30Z"]],
    [
      "on weekdays alone, by the days of its zone: Friday evening there is Saturday here",
      "30 22 * * 1-5",
      "America/Los_Angeles",
      "2026-11-20T12:00Z",
      ["2026-11-21T06:30Z", "2026-11-24T06:30Z"],
    ],
    ["on Sunday, as 0 and as 7", "0 12 * * 0", "UTC", "2026-11-18T00:00Z", ["2026-11-22T12:00Z"]],
    ["on Sunday, as 0 and as 7", "0 12 * * 7", "UTC", "2026-11-18T00:00Z", ["2026-11-22T12:00Z"]],
    ["by names", "0 12 * JAN MON", "UTC", "2026-12-30T00:00Z", ["2027-01-04T12:00Z", "2027-01-11T12:00Z"]],
    [
      "on a day of the month or a weekday, if both are given",
      "0 0 1 * 1",
      "UTC",
      "2026-11-29T00:00Z",
      ["2026-11-30T00:00Z", "2026-12-01T00:00Z", "2026-12-07T00:00Z"],
    ],
    [
      "on the 31st of months that have one",
      "0 0 31 * *",
      "UTC",
      "2026-11-01T00:00Z",
      ["2026-12-31T00:00Z", "2027-01-31T00:00Z", "2027-03-31T00:00Z"],
    ],
    ["on the 29th of February", "0 0 29 2 *", "UTC", "2026-03-01T00:00Z", ["2028-02-29T00:00Z"]],
    ["over the year's end", "0 23 * * *", "Europe/Berlin", "2026-12-31T22:30Z", ["2027-01-01T22:00Z"]],
    [
      "when the skip ends, for a time that the clock skips, and as usual the day after",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T02:00Z",
      ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    [
      "the first time, for a time that comes twice",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "every hour through a skipped hour",
      "0 * * * *",
      "America/New_York",
      "2026-03-08T05:30Z",
      ["2026-03-08T06:00Z", "2026-03-08T07:00Z", "2026-03-08T08:00Z"],
    ],
    [
      "every hour through a repeated hour",
      "0 * * * *",
      "America/New_York",
      "2026-11-01T04:30Z",
      ["2026-11-01T05:00Z", "2026-11-01T06:00Z", "2026-11-01T07:00Z"],
    ],
    [
      "at the same wall time before and after the change",
      "0 9 * * *",
      "Europe/Berlin",
      "2026-10-24T00:00Z",
      ["2026-10-24T07:00Z", "2026-10-25T08:00Z"],
    ],
    [
      "where the clock changes by half an hour",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-02T16:00Z",
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
  ];
  test.each(cases)("CV-41 %s (%s, %s)", (_, text, zone, from, expected) => {
    expect(times(cron(text, zone), from, expected.length)).toEqual([...expected]);
  });

  it("CV-41 once, and never again", () => {
    const once: Cadence = { kind: "once", at: "2026-11-18T10:00:00+01:00" };
    expect(times(once, "2026-11-18T08:59:59Z", 3)).toEqual(["2026-11-18T09:00Z"]);
    expect(nextDue(once, ms("2026-11-18T09:00:00Z"))).toBeNull();
  });

  it("CV-41 in any zone at any time, the wall clock there shows what was asked, and weekdays are those of the zone", () => {
    const random = seededRandom("cron in zones");
    const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "America/Sao_Paulo"];
    const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    for (let round = 0; round < 300; round += 1) {
      const zone = random.pick(zones);
      // Clocks change at night: at these hours nothing is skipped or repeated.
      const [minute, hour, day] = [random.between(0, 59), random.between(4, 22), random.between(0, 6)];
      const after = ms("2026-01-01T00:00Z") + random.between(0, 730 * 1_440) * 60_000;
      const due = nextDue(cron(`${minute} ${hour} * * ${day}`, zone), after) ?? 0;
      const shown = new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        weekday: "short",
        hour: "numeric",
        minute: "numeric",
        hourCycle: "h23",
      }).formatToParts(due);
      const part = (type: string) => shown.find((one) => one.type === type)?.value ?? "";
      expect([part("weekday"), Number(part("hour")), Number(part("minute"))]).toEqual([days[day] ?? "", hour, minute]);
      expect(due).toBeGreaterThan(after);
      expect(due - after).toBeLessThanOrEqual(7 * DAY_MS + 3_600_000);
    }
  });

  it("CV-40 of the times that were missed, the newest is found, with how many there were in the window", () => {
    const until = ms("2026-11-18T09:30:00Z");
    const newest = (cadence: Cadence, after: string) => {
      const found = newestDue(cadence, ms(after), until, DAY_MS);
      return found && [new Date(found.dueMs).toISOString(), found.count];
    };
    expect(newest(cron("0 * * * *"), "2026-11-18T06:00:00Z")).toEqual(["2026-11-18T09:00:00.000Z", 3]);
    expect(newest(cron("0 * * * *"), "2026-11-18T09:00:00Z")).toBeNull();
    expect(newest(cron("30 9 * * *"), "2026-11-18T09:00:00Z")).toEqual(["2026-11-18T09:30:00.000Z", 1]);
    expect(newest(cron("* * * * *"), "2026-01-01T00:00:00Z")?.[0]).toBe("2026-11-18T09:30:00.000Z");
    expect(newest(cron("0 0 1 * *"), "2026-10-15T00:00:00Z")).toEqual(["2026-11-01T00:00:00.000Z", 1]);
    expect(newest({ kind: "once", at: "2026-11-10T00:00:00Z" }, "2026-11-01T00:00:00Z")?.[0]).toContain("2026-11-10");
  });

  const wrong: readonly (readonly [Cadence, string])[] = [
    [cron("* * * *"), '"* * * *" is not a cron expression: use the five fields minute, hour, day, month, weekday, for'],
    [cron("0 0 9 * * *"), "use the five fields"],
    [cron("61 * * * *"), 'its minute is "61", so use 0 to 59, * for all'],
    [cron("0 9 * * 8"), 'its weekday is "8", so use 0 to 7'],
    [cron("0 9 32 foo 8"), 'its day is "32"'],
    [cron("0 nine * * 1"), 'its hour is "nine"'],
    [cron("every day"), "use the five fields"],
    [cron("0 0 31 2 *"), "names a date that never comes"],
    [cron("0 9 * * *", "Mars/Base"), 'There is no time zone "Mars/Base"'],
    [{ kind: "once", at: "2020-01-01T00:00:00Z" }, "This time is in the past"],
  ];
  test.each(wrong)("CV-41 %j is refused with what to do", (cadence, words) => {
    const refusal = (() => {
      try {
        checkCadence(cadence, ms("2026-11-18T00:00:00Z"));
        return "";
      } catch (error) {
        return error instanceof RefusalError ? error.refusal.message : String(error);
      }
    })();
    expect(refusal).toContain(words);
  });
});
