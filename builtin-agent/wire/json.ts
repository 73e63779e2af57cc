/** A JSON object with unknown fields. */
export type JsonObject = { readonly [key: string]: unknown };

/** True for JSON objects only, not for arrays and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at `key`, or an empty one, so that optional capability trees read in one line. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

/** The string at `key`, if there is one. */
export function stringAt(value: JsonObject, key: string): string | undefined {
  const found = value[key];
  return typeof found === "string" ? found : undefined;
}

/** `undefined` instead of an exception: truncated and foreign lines are expected. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false };
    throw error;
  }
}
