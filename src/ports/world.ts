/** Everything that differs from one run to the next, passed in so that tests can control it. */
export interface World {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Globally unique, URL-safe, without an order. */
  readonly newId: () => string;
}

/** The only form in which times are stored and sent. */
export function isoTime(world: World): string {
  return new Date(world.now()).toISOString();
}
