import type { Refusal } from "../protocol/errors.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";

export type ErrorMessage = Extract<PlainServerMessage, { type: "error" }>;

/** The refusal a server's `error` carries, less its address. */
export function refusalOf({ code, message, details, fields }: ErrorMessage): Refusal {
  return { code, message, ...(details !== undefined && { details }), ...(fields !== undefined && { fields }) };
}
