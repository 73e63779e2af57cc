import type { SessionPause, UsageLimit } from "./conversations.ts";

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MS = 24 * HOUR_MINUTES * MINUTE_MS;

/** What is used up: "5-hour limit". */
export function limitName({ kind, window }: UsageLimit): string {
  switch (kind) {
    case "rate":
      return "Too many requests";
    case "quota":
      return window === undefined ? "Quota used up" : `${capitalized(window)} quota used up`;
    case "usage":
      return window === undefined ? "Usage limit" : `${capitalized(window)} limit`;
    default:
      return kind satisfies never;
  }
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** "5-hour limit · until 23:50 (in 47 min)", and "resumes" once that is agreed. */
export function pauseWords({ limit, resumesAt, dueAt }: SessionPause, nowMs: number): string {
  const end = resumesAt ?? limit.resetsAt ?? dueAt;
  if (end === null) return limitName(limit);
  const leftMs = Date.parse(end) - nowMs;
  const verb = resumesAt === null ? (leftMs > 0 ? "until" : "ended at") : "resumes";
  return `${limitName(limit)} · ${verb} ${clockWords(end, nowMs)}${leftMs > 0 ? ` (in ${spanWords(leftMs)})` : ""}`;
}

/** For another agent or a log: "usage limit, resumes 23:50". */
export function pauseReason({ limit, resumesAt }: SessionPause, nowMs: number): string {
  const name = limit.kind === "rate" ? "too many requests" : "usage limit";
  if (resumesAt !== null) return `${name}, resumes ${clockWords(resumesAt, nowMs)}`;
  const until = limit.resetsAt === undefined ? "" : ` until ${clockWords(limit.resetsAt, nowMs)}`;
  return `${name}${until}; it continues when the user says so`;
}

/** "23:50", in the reader's zone; another day has its date before it. */
export function clockWords(iso: string, nowMs: number): string {
  const time = new Date(iso);
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const isFar = Math.abs(time.getTime() - nowMs) >= DAY_MS || time.getDate() !== new Date(nowMs).getDate();
  return isFar ? `${time.toLocaleDateString("en", { month: "short", day: "numeric" })}, ${clock}` : clock;
}

const two = (count: number) => String(count).padStart(2, "0");

/** "47 min", "2 h 5 min", "3 days". */
function spanWords(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  if (minutes < HOUR_MINUTES) return `${minutes} min`;
  const rest = minutes % HOUR_MINUTES;
  return `${Math.floor(minutes / HOUR_MINUTES)} h${rest === 0 ? "" : ` ${rest} min`}`;
}
