const LOOK_AGAIN_MS = 5;
const GIVE_UP_MS = 60_000;

/** Waits for a condition without an event; the error names the condition when it is never met. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  lookAgainMs = LOOK_AGAIN_MS,
): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${GIVE_UP_MS / 1_000} s in vain: ${what}`);
    await Bun.sleep(lookAgainMs);
  }
}

/** An event that must come; a bench must not hang silently. */
export async function within<Value>(what: string, promise: Promise<Value>, giveUpMs = GIVE_UP_MS): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`Waited ${giveUpMs / 1_000} s in vain: ${what}`)), giveUpMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
