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

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
