const READ_AGAIN_MS = 250;

/** True if a remote database could not be read and reads will be retried; false if it belongs to another server now. */
function isDatabaseAway(error: unknown): boolean {
  const fault: unknown = error instanceof Error ? Reflect.get(error, "storageFault") : undefined;
  return fault !== undefined && fault !== "in-use";
}

/** Retries reads until the database is back, as long as a caller needs the result. */
export async function whenBack<Found>(isWanted: () => boolean, read: () => Promise<Found>): Promise<Found> {
  for (;;)
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseAway(error) || !isWanted()) throw error;
      await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
    }
}
