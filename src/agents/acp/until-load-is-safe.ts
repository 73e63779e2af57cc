const MINUTE_MS = 60_000;

/** Gemini names a session's file by the clock minute and empties it when it is loaded within that minute. */
export async function untilLoadIsSafe(agentName: string, createdAt: number, now: number): Promise<void> {
  if (!agentName.includes("gemini")) return;
  const waitMs = Math.floor(createdAt / MINUTE_MS + 1) * MINUTE_MS - now;
  if (waitMs > 0) await Bun.sleep(waitMs);
}
