/** Milliseconds since 1970 with a fraction: the one clock that agents, servers, browsers and this program share. */
export function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}
