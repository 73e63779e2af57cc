const BODY_BYTES_MAX = 1_024;

/** Null for more than a form or a wish ever needs, or for one that does not say how long it is. */
export async function shortBody(request: Request): Promise<string | null> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  return length <= BODY_BYTES_MAX ? request.text() : null;
}
