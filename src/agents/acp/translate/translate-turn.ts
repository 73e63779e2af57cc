import type { Json } from "../../../protocol/json.ts";
import type { PermissionOption } from "../../../protocol/session-parts.ts";
import type { StopReason } from "../../../protocol/stop-reason.ts";
import { asArray, asNumber, asObject, asString, type JsonObject } from "../read-json.ts";

export function translatePermissionOptions(options: Json | undefined): PermissionOption[] {
  return (asArray(options) ?? []).flatMap((item) => {
    const option = asObject(item);
    const optionId = asString(option?.["optionId"]);
    if (optionId === undefined) return [];
    return [{ optionId, name: asString(option?.["name"]) ?? optionId, kind: asString(option?.["kind"]) ?? "other" }];
  });
}

/**
 * Codex ends a turn that its model refused like any other: the refusal arrives as text, the stop reason is `end_turn`.
 * Only the thread's status reports the failure. Undefined for an update without a status.
 */
export function threadFailed(update: Json): boolean | undefined {
  const body = asObject(update);
  if (body?.["sessionUpdate"] !== "session_info_update") return undefined;
  const status = asString(asObject(asObject(asObject(body["_meta"])?.["codex"])?.["threadStatus"])?.["type"]);
  return status === undefined ? undefined : status === "systemError";
}

/**
 * Token usage of a turn including cached tokens, from the answer to its prompt: `usage` is per turn in agents that send it;
 * Gemini has it in `_meta`. Undefined if not reported.
 */
export function turnTokensOf(answer: JsonObject | null): number | undefined {
  return tokensOf(answer?.["usage"]) ?? tokensOf(asObject(asObject(answer?.["_meta"])?.["quota"])?.["token_count"]);
}

/** The total sent by the agent, otherwise the sum of its parts. */
export function tokensOf(usage: Json | undefined): number | undefined {
  const counts = asObject(usage);
  if (!counts) return undefined;
  const count = (name: string) => {
    const value = asNumber(counts[name]);
    return value !== undefined && value >= 0 ? value : undefined;
  };
  const parts = TOKEN_PARTS.map(count).filter((value) => value !== undefined);
  return count("totalTokens") ?? (parts.length > 0 ? parts.reduce((sum, value) => sum + value, 0) : undefined);
}

const TOKEN_PARTS = [
  ...["inputTokens", "outputTokens", "cachedReadTokens", "cachedWriteTokens"],
  ...["input_tokens", "output_tokens"],
];

/** A missing or unknown reason counts as a normal end. */
export function stopReasonOf(reason: Json | undefined): StopReason {
  switch (reason) {
    case "max_tokens":
    case "max_turn_requests":
    case "refusal":
    case "cancelled":
      return reason;
    default:
      return "end_turn";
  }
}
