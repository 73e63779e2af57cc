import type { Cadence } from "../../protocol/schedules.ts";

/** How often, in the terms of the form; `custom` is a cron expression. */
export type Repeat = "hourly" | "daily" | "weekdays" | "weekly" | "custom" | "once";

export const REPEAT_WORDS: Readonly<Record<Repeat, string>> = {
  hourly: "Every hour",
  daily: "Every day",
  weekdays: "Monday to Friday",
  weekly: "Every week",
  custom: "Cron expression",
  once: "Once",
};

export const DAY_WORDS: Readonly<Record<string, string>> = {
  "1": "Monday",
  "2": "Tuesday",
  "3": "Wednesday",
  "4": "Thursday",
  "5": "Friday",
  "6": "Saturday",
  "0": "Sunday",
};

/** What the form holds. Fields of other ways to repeat keep their values, so that a change of mind costs nothing. */
export interface RepeatForm {
  readonly repeat: Repeat;
  /** `HH:MM`; of an hourly one the minutes count. */
  readonly time: string;
  readonly day: string;
  readonly cron: string;
  readonly zone: string;
  /** `YYYY-MM-DDTHH:MM`, in the browser's time zone. */
  readonly at: string;
}

const FIXED = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7]|1-5)$/;
const HOURLY = /^(\d{1,2}) \* \* \* \*$/;

export function newForm(zone: string, nowMs: number): RepeatForm {
  const tomorrow = new Date(nowMs);
  tomorrow.setDate(tomorrow.getDate() + 1);
  tomorrow.setHours(9, 0, 0, 0);
  return { repeat: "weekdays", time: "09:00", day: "1", cron: "0 9 * * 1-5", zone, at: localInput(tomorrow) };
}

/** The form of a cadence that is there. */
export function formOf(cadence: Cadence, fallback: RepeatForm): RepeatForm {
  if (cadence.kind === "once") return { ...fallback, repeat: "once", at: localInput(new Date(cadence.at)) };
  const known = { ...fallback, cron: cadence.cron, zone: cadence.zone };
  const [, everyMinute] = HOURLY.exec(cadence.cron) ?? [];
  if (everyMinute !== undefined) return { ...known, repeat: "hourly", time: `00:${everyMinute.padStart(2, "0")}` };
  const [, minute, hour, day] = FIXED.exec(cadence.cron) ?? [];
  if (minute === undefined || hour === undefined) return { ...known, repeat: "custom" };
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day === "*") return { ...known, repeat: "daily", time };
  if (day === "1-5") return { ...known, repeat: "weekdays", time };
  return { ...known, repeat: "weekly", time, day: day === "7" ? "0" : (day ?? "1") };
}

/** Null while the form is incomplete. */
export function cadenceOf({ repeat, time, day, cron, zone, at }: RepeatForm): Cadence | null {
  if (repeat === "once") {
    const when = new Date(at);
    return at === "" || Number.isNaN(when.getTime()) ? null : { kind: "once", at: when.toISOString() };
  }
  if (zone.trim() === "") return null;
  if (repeat === "custom")
    return cron.trim() === "" ? null : { kind: "cron", cron: cron.trim().replace(/\s+/g, " "), zone: zone.trim() };
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(time) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const [h, m] = [Number(hour), Number(minute)];
  const days = { daily: "*", weekdays: "1-5", weekly: day, hourly: "*" }[repeat];
  return { kind: "cron", cron: `${m} ${repeat === "hourly" ? "*" : h} * * ${days}`, zone: zone.trim() };
}

/** "Monday to Friday at 09:00 (Europe/Berlin)". */
export function cadenceWords(cadence: Cadence): string {
  if (cadence.kind === "once") return `Once, ${dueTime(cadence.at)}`;
  const { repeat, time, day } = formOf(cadence, newForm(cadence.zone, 0));
  const words = {
    hourly: `Every hour at :${time.slice(3)}`,
    daily: `Every day at ${time}`,
    weekdays: `Monday to Friday at ${time}`,
    weekly: `Every ${DAY_WORDS[day]} at ${time}`,
    custom: cadence.cron,
    once: "",
  }[repeat];
  return `${words} (${cadence.zone})`;
}

/** "Mon, Nov 23, 09:00", in the browser's time zone. */
export function dueTime(iso: string): string {
  const time = new Date(iso);
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  return time.toLocaleString(undefined, {
    weekday: "short",
    month: "short",
    day: "numeric",
    ...(!isThisYear && { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    // As in "every day at 09:00".
    hourCycle: "h23",
  });
}

function localInput(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
