import type { z } from "zod/mini";

/** What the browser keeps under a key, when it still has the shape we wrote; storage may be off or hold anything. */
export function readKept<Value>(key: string, schema: z.ZodMiniType<Value>, otherwise: Value): Value {
  try {
    const text = localStorage.getItem(key);
    return text === null ? otherwise : schema.parse(JSON.parse(text));
  } catch {
    return otherwise; // nothing the user made is lost: these are only places and folds of the page
  }
}

/** Keeps a value; without storage the page still works, it only forgets. */
export function writeKept(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    return; // full or switched off
  }
}
