import type { Json } from "../../protocol/json.ts";

/** Readers for what agents send: a wrong type is the same as nothing, and nothing throws. */
export type JsonObject = { readonly [key: string]: Json | undefined };

export function asObject(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function asArray(value: unknown): readonly Json[] | null {
  return Array.isArray(value) ? value : null;
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The beginning of a string, which says how much of it is missing. A copy: a mere slice would keep the whole alive. */
export function asShortString(value: unknown, charsMax: number): string | undefined {
  if (typeof value !== "string" || value.length <= charsMax) return asString(value);
  const beginning: unknown = JSON.parse(JSON.stringify(value.slice(0, charsMax)));
  return `${String(beginning)}… (${value.length - charsMax} more characters were not kept)`;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Smaller numbers are seconds since 1970, larger ones milliseconds. */
const SECONDS_MAX = 100_000_000_000;

/** A time as ISO 8601 in UTC; null for what is none. */
export function readTime(value: Json | undefined): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const time = new Date(typeof value === "number" && value < SECONDS_MAX ? value * 1_000 : value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
