import type { Files } from "./workshop.ts";

const SHOWN_MAX = 5;

/** How the files differ from what they must be; null when they do not. */
export function pictureDifference(now: Files, wanted: Files): string | null {
  const paths = [...new Set([...Object.keys(now), ...Object.keys(wanted)])].filter(
    (path) => now[path] !== wanted[path],
  );
  if (paths.length === 0) return null;
  const shown = paths
    .slice(0, SHOWN_MAX)
    .map((path) => `${path} is ${now[path] ?? "gone"}, was ${wanted[path] ?? "not there"}`);
  return `${paths.length} files differ: ${shown.join("; ")}`;
}

export function isSamePicture(now: Files, wanted: Files): boolean {
  return pictureDifference(now, wanted) === null;
}
