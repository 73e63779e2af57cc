import type { z } from "zod/mini";

/** A stored value, if it still has the expected shape; storage may be disabled or contain anything. */
export function readKept<Value>(key: string, schema: z.ZodMiniType<Value>, otherwise: Value): Value {
  try {
    const text = localStorage.getItem(key);
    return text === null ? otherwise : schema.parse(JSON.parse(text));
  } catch {
    return otherwise; // no user data is lost: these are only positions and collapsed states of the page
  }
}

/** Stores a value; without storage the page still works, but does not keep it. */
export function writeKept(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    return; // full or disabled
  }
}
