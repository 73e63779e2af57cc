/**
 * A name of two or more characters: one letter before a colon is a drive elsewhere. After a dot: the pod of one session,
 * where a place has many.
 */
const AT_PLACE = /^([a-z0-9][a-z0-9-]{1,31}(?:\.[a-z0-9]{1,16})?):([/~][\s\S]*)$/;

/** A directory at a place, as in `build-1:/home/me/app`. Null for one on the server's own machine. */
export function splitPlace(path: string): { readonly place: string; readonly path: string } | null {
  const [, place, there] = AT_PLACE.exec(path) ?? [];
  return place === undefined || there === undefined ? null : { place, path: there };
}

/** The name that config.json has: `pods` for `pods.3f2a`, the pod of one session there. */
export function configuredName(place: string): string {
  return place.split(".")[0] ?? place;
}

/** Of a place with a pod for each session, the one without: for directories and terminals of projects. */
export const MAIN_POD = "main";

/** The id of a session's pod is a hash of the session's id, this long. */
export const POD_ID_CHARS = 12;

/** The name of a pod in paths: `pods.3f2a`, or `pods` for the main one. */
export function podName(place: string, podId: string): string {
  return podId === MAIN_POD ? place : `${place}.${podId}`;
}

/** The path as programs of its own machine use it. */
export function pathThere(path: string): string {
  return splitPlace(path)?.path ?? path;
}

/** A project as it is shown beside the mark of its place: its name already ends with it. */
export function placedName({ name, path }: { readonly name: string; readonly path: string }): {
  readonly name: string;
  readonly place: string | null;
} {
  const place = splitPlace(path)?.place ?? null;
  const end = ` (${place})`;
  return { name: place !== null && name.endsWith(end) ? name.slice(0, -end.length) : name, place };
}
