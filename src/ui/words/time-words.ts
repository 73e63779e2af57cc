import { durationWords } from "../../presentation/tool-line.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** "now", "3m ago", "2d ago": the sidebar's ages as words. */
export function ageWords(timestamp: string, now: number): string {
  const age = relativeAge(timestamp, now);
  return age === "now" ? age : `${age} ago`;
}

/** Created once: creating one costs more than all its uses. */
let exactFormat: Intl.DateTimeFormat | undefined;

/** The full date and time, for the tooltip. */
export function exactTime(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  exactFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "medium" });
  return exactFormat.format(time);
}

/** An elapsed time in whole seconds, since it changes every second. */
export function elapsedWords(elapsedMs: number): string {
  return elapsedMs < MINUTE_MS ? `${Math.max(0, Math.floor(elapsedMs / SECOND_MS))} s` : durationWords(elapsedMs);
}

/** A clock for running work: "0:42", "12:05". */
export function runningClock(startedAt: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(startedAt)) / SECOND_MS));
  if (!Number.isFinite(seconds)) return "";
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A short age for a row. A clock that is ahead of ours gives "now". */
export function relativeAge(iso: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(iso);
  if (!(ageMs >= MINUTE_MS)) return "now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}h`;
  if (ageMs < WEEK_MS) return `${Math.floor(ageMs / DAY_MS)}d`;
  return `${Math.floor(ageMs / WEEK_MS)}w`;
}
