import type { Json } from "../../protocol/json.ts";
import { asObject } from "../acp/read-json.ts";

/** Smaller numbers are seconds since 1970, larger ones milliseconds. */
const SECONDS_MAX = 100_000_000_000;

/** When something was said, where the agent repeats that too: the protocol has no place for it, so agents choose one. */
export function updateTime(update: Json): string | null {
  const body = asObject(update);
  return readTime(asObject(body?.["_meta"])?.["timestamp"]) ?? readTime(body?.["timestamp"]);
}

/** A time as ISO 8601 in UTC; null for what is none. */
export function readTime(value: Json | undefined): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const time = new Date(typeof value === "number" && value < SECONDS_MAX ? value * 1_000 : value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
