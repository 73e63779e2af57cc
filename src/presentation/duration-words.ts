const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long something took: "0.1 s", "12 s", "2m 14s", "1h 5m". */
export function durationWords(durationMs: number): string {
  if (durationMs < 10 * SECOND_MS) return `${(Math.max(0, durationMs) / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.floor(durationMs / SECOND_MS);
  if (durationMs < MINUTE_MS) return `${seconds} s`;
  if (durationMs < HOUR_MS) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}
