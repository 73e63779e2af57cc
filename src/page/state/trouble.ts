import type { ClientRequest } from "../../client/pending-requests.ts";
import { type ErrorCode, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";

/** What went wrong, in parts: the words are for everyone, the details for whoever looks closer. */
export interface Trouble {
  /** Null for a fault of the page's own. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details?: string | undefined;
  /** What is wrong with an answer, by the name of the field. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** A refusal in the server's own words; anything else is our bug and says so. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof RefusalError) return forReader(error.refusal);
  return { code: null, message: `Unexpected error in the page: ${String(error)}` };
}

/** The wire's general sentence about a path adds nothing to the reason beside it. */
function forReader(refusal: Refusal): Trouble {
  const { code, details } = refusal;
  return code === "PROJECT_PATH_INVALID" && details !== undefined ? { code, message: details } : refusal;
}

/** All of it in one line, for places without room for parts. */
export function errorText({ message, details }: Trouble): string {
  if (details === undefined) return message;
  return `${message}${/[.!?…:]$/.test(message) ? "" : "."} ${details}`;
}

/** Told what went wrong: as one line, and in its parts. */
export type Notify = (words: string, trouble: Trouble) => void;

/** Asks the server; null when it was refused, which `tell` hears, or else the page. */
export type Attempt = (request: ClientRequest, notify?: Notify) => Promise<ServerMessage | null>;
