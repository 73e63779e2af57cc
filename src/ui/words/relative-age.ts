const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** How long ago, in the few letters a row has room for. A clock that runs ahead of ours is "now". */
export function relativeAge(iso: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(iso);
  if (!(ageMs >= MINUTE_MS)) return "now";
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}h`;
  if (ageMs < WEEK_MS) return `${Math.floor(ageMs / DAY_MS)}d`;
  return `${Math.floor(ageMs / WEEK_MS)}w`;
}
