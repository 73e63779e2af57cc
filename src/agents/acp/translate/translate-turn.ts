import type { Json } from "../../../protocol/json.ts";
import type { PermissionOption } from "../../../protocol/session-parts.ts";
import type { StopReason } from "../../../protocol/stop-reason.ts";
import { asArray, asObject, asString } from "../read-json.ts";

export function translatePermissionOptions(options: Json | undefined): PermissionOption[] {
  return (asArray(options) ?? []).flatMap((item) => {
    const option = asObject(item);
    const optionId = asString(option?.["optionId"]);
    if (optionId === undefined) return [];
    return [{ optionId, name: asString(option?.["name"]) ?? optionId, kind: asString(option?.["kind"]) ?? "other" }];
  });
}

/** A missing or unknown reason counts as the ordinary end. */
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
