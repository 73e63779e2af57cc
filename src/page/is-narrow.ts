/** Below this the sidebar is a drawer; the stylesheets use the same line. */
export const WIDE_QUERY = "(width >= 800px)";

export function isNarrow(): boolean {
  return !matchMedia(WIDE_QUERY).matches;
}
