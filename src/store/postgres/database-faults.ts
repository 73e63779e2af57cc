import type { StorageFault } from "../../protocol/storage.ts";

/** The connection was lost, or the database did not answer in time: whether it did what was asked is not known. */
export class DatabaseAwayError extends Error {
  override readonly name = "DatabaseAwayError";
  readonly storageFault: StorageFault = "disk-error";
}

/** By the first two characters of SQLSTATE. */
const BY_CLASS: ReadonlyMap<string, StorageFault> = new Map<string, StorageFault>([
  ["08", "disk-error"],
  ["57", "disk-error"],
  ["58", "disk-error"],
]);
const BY_STATE: ReadonlyMap<string, StorageFault> = new Map<string, StorageFault>([
  ["25006", "read-only"],
  ["42501", "read-only"],
  ["53100", "disk-full"],
  ["53200", "disk-error"],
  ["53300", "disk-error"],
]);
/** `query_canceled`: by a limit on the time of a statement, which other statements may keep. */
const CANCELLED = "57014";

/** Why nothing can be stored; null for an error that only concerns what was asked. */
export function databaseFaultOf(error: unknown): StorageFault | null {
  if (error instanceof DatabaseAwayError) return "disk-error";
  const state = sqlStateOf(error);
  if (state === null || state === CANCELLED) return isConnectionError(error) ? "disk-error" : null;
  return BY_STATE.get(state) ?? BY_CLASS.get(state.slice(0, 2)) ?? null;
}

/** True if the statement may have been carried out, or may still be. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof DatabaseAwayError || isCut(error);
}

/** The connection was lost, or the server ended it. */
export function isCut(error: unknown): boolean {
  return isConnectionError(error) || sqlStateOf(error)?.startsWith("57P") === true;
}

export function sqlStateOf(error: unknown): string | null {
  const state: unknown = error instanceof Error ? Reflect.get(error, "errno") : null;
  return typeof state === "string" && /^[0-9A-Z]{5}$/.test(state) ? state : null;
}

/** What to do about a connection that TLS refused; null for another error. */
export function tlsAdvice(error: unknown): string | null {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : null;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "Use a name in the URL that the certificate of the database has.";
  if (typeof code !== "string" || !UNTRUSTED.test(code)) return null;
  return "Nobody that is trusted has signed the certificate of the database: add sslrootcert=<file> to the URL, with the certificate that did.";
}

const UNTRUSTED = /^(?:UNABLE_TO_|CERT_|SELF_SIGNED|DEPTH_ZERO)/;

function isConnectionError(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : null;
  if (tlsAdvice(error) !== null) return true;
  return typeof code === "string" && /^ERR_POSTGRES_(CONNECTION|LIFETIME|IDLE|TLS|CLOSED|UNEXPECTED)/.test(code);
}
