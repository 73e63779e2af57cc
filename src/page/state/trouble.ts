import type { ClientRequest } from "../../client/pending-requests.ts";
import { type ErrorCode, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";

/** An error in parts: the message for everyone, the details for a closer look. */
export interface Trouble {
  /** Null for a bug of the page. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details?: string | undefined;
  /** Errors of an answer, by field name. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** A refusal with the server's message; anything else is our bug and says so. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof RefusalError) return forReader(error.refusal);
  return { code: null, message: `Unexpected error in the page: ${String(error)}` };
}

/** The protocol's general sentence about a path adds nothing to its reason. */
function forReader(refusal: Refusal): Trouble {
  const { code, details } = refusal;
  return code === "PROJECT_PATH_INVALID" && details !== undefined ? { code, message: details } : refusal;
}

/** All of it in one line, for places without room for parts. */
export function errorText({ message, details }: Trouble): string {
  if (details === undefined) return message;
  return `${message}${/[.!?…:]$/.test(message) ? "" : "."} ${details}`;
}

/** Receives an error: as one line, and in parts. */
export type Notify = (words: string, trouble: Trouble) => void;

/** Sends a request to the server; null if it was refused, which is reported to `notify` or by the page. */
export type Attempt = (request: ClientRequest, notify?: Notify) => Promise<ServerMessage | null>;
