const LOOK_AGAIN_MS = 10;
/** Long enough for a busy machine; a condition that takes this long will not come true. */
export const DEADLINE_MS = 60_000;

/** For what sends no event of its own (a process that is not our child, a file): looks until it is there, or says what was seen. */
export async function waitFor<Value>(
  look: () => Value | Promise<Value>,
  isReached: (value: Value) => boolean,
  what: string,
): Promise<Value> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const value = await look();
    if (isReached(value)) return value;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}; last seen: ${Bun.inspect(value)}`);
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}
