/** Everything that differs from one run to the next, passed in so that tests can pin it down. */
export interface World {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Unique for ever, url-safe, sortable by nothing. */
  readonly newId: () => string;
}

/** Times leave the program in this form only. */
export function isoTime(world: World): string {
  return new Date(world.now()).toISOString();
}
