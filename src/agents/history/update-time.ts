import type { Json } from "../../protocol/json.ts";
import { asObject, readTime } from "../acp/read-json.ts";

/** When something was said, where the agent repeats that too: the protocol has no place for it, so agents choose one. */
export function updateTime(update: Json): string | null {
  const body = asObject(update);
  return readTime(asObject(body?.["_meta"])?.["timestamp"]) ?? readTime(body?.["timestamp"]);
}
