/** When a text is read, in ms since 1970, and the zone of the machine that wrote it. */
export interface ReadingClock {
  readonly now: number;
  readonly zone: string;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A time that passed this recently is taken as it is, not as the same time tomorrow. */
const JUST_PASSED_MS = 2 * MINUTE_MS;
const NOON_HOURS = 12;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** "11:50pm", "3 PM", "23:50", each with a date before it or without: "Nov 18, 10:54pm", "Nov 16th, 2026 12:02 AM". */
const POINT =
  /\b(?:resets?(?: at| on)?|try again (?:at|on)|available (?:again )?(?:at|on))\s+(?:(?<month>[A-Za-z]{3})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:, (?<year>\d{4}))?(?:,| at)? )?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?<half>[ap]m)?(?:\s*\((?<zone>[A-Za-z_/+\-0-9]+)\))?/i;
/** "in 11.054s", "after 3h2m5s", "in 2 days 4 hours". */
const SPAN =
  /\b(?:try again in|retry in|resets? in|resets? after|available in)\s+(?<span>(?:\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|seconds?|secs?|s)(?:,| and)?\s*)+)/i;
const SPAN_PART = /(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|seconds?|secs?|s)/gi;

/** The time that an agent's text names as the end of a limit, in ms since 1970; null when it names none. */
export function timeInText(text: string, clock: ReadingClock): number | null {
  const span = SPAN.exec(text)?.groups?.["span"];
  if (span !== undefined) return clock.now + spanMs(span);
  const { month, day, year, hour = "", minute, half, zone } = POINT.exec(text)?.groups ?? {};
  // A bare number is not a time.
  if (hour === "" || (minute === undefined && half === undefined)) return null;
  const time = { hour: hourOfDay(Number(hour), half), minute: Number(minute ?? 0) };
  if (time.hour > 23 || time.minute > 59) return null;
  const where = zoneOf(zone) ?? clock.zone;
  if (month === undefined) return nextTime(time, where, clock.now);
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex < 0) return null;
  return dated(
    { month: monthIndex, day: Number(day), ...time },
    year === undefined ? null : Number(year),
    where,
    clock.now,
  );
}

function spanMs(span: string): number {
  let total = 0;
  for (const [, amount, unit = ""] of span.matchAll(SPAN_PART)) total += Number(amount) * unitMs(unit.toLowerCase());
  return Math.ceil(total);
}

function unitMs(unit: string): number {
  if (unit === "ms") return 1;
  switch (unit[0]) {
    case "d":
      return DAY_MS;
    case "h":
      return HOUR_MS;
    case "m":
      return MINUTE_MS;
    default:
      return SECOND_MS;
  }
}

function hourOfDay(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % NOON_HOURS) + (half.toLowerCase() === "pm" ? NOON_HOURS : 0);
}

/** A zone name that the machine does not know is ignored. */
function zoneOf(name: string | undefined): string | null {
  if (name === undefined) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** A time without a date: the next one. One that has passed means tomorrow. */
function nextTime({ hour, minute }: TimeOfDay, zone: string, now: number): number {
  const today = new Date(now + offsetAt(now, zone));
  const wall = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate(), hour, minute);
  const moments = [wall - DAY_MS, wall, wall + DAY_MS].flatMap((each) => momentsOf(each, zone));
  return moments.find((moment) => moment > now - JUST_PASSED_MS) ?? now + DAY_MS;
}

/** A date without a year: the nearest one, so that the turn of the year is no gap. */
function dated(
  { month, day, hour, minute }: TimeOfDay & { readonly month: number; readonly day: number },
  year: number | null,
  zone: string,
  now: number,
): number {
  const thisYear = new Date(now + offsetAt(now, zone)).getUTCFullYear();
  const years = year === null ? [thisYear - 1, thisYear, thisYear + 1] : [year];
  const moments = years.flatMap((each) => momentsOf(Date.UTC(each, month, day, hour, minute), zone).slice(0, 1));
  return moments.reduce((best, each) => (Math.abs(each - now) < Math.abs(best - now) ? each : best));
}

/**
 * The moments at which clocks of the zone show this time, earliest first. Two when clocks are set back over it. One that
 * clocks skip counts as much later as they skip.
 */
function momentsOf(wall: number, zone: string): number[] {
  const offsets = [...new Set([offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)])];
  const shown = offsets.map((offset) => wall - offset).filter((moment) => moment + offsetAt(moment, zone) === wall);
  const skipped = wall - (offsets[0] ?? 0);
  return (shown.length > 0 ? shown : [skipped]).sort((one, other) => one - other);
}

/** How far the clocks of a zone are ahead of UTC at a moment, in ms. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return wall - Math.floor(moment / SECOND_MS) * SECOND_MS;
}
