import type { Json } from "../../protocol/json.ts";

/** Tolerant readers for agents' JSON: a wrong type counts as missing, and nothing throws. */
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

/** Truncates a string and states how much is missing. Copies, because a slice would keep the original in memory. */
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

/** A time as ISO 8601 in UTC; null if it cannot be read. */
export function readTime(value: Json | undefined): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const time = new Date(typeof value === "number" && value < SECONDS_MAX ? value * 1_000 : value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
