import { isObject } from "./json.ts";

/** The runtime's codes, in words. Its own messages ask the reader questions. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ConnectionRefused: "connection refused",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host not found",
  ECONNRESET: "connection closed",
  ConnectionClosed: "connection closed",
  EPIPE: "connection closed",
  ETIMEDOUT: "timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  FailedToOpenSocket: "connection failed",
  CERT_HAS_EXPIRED: "certificate expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another host",
};
const CAUSES_MAX = 8;

/** Why no connection came about, or undefined for any other failure. Looks through errors that wrap it. */
export function connectionFailure(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isObject(current); depth += 1) {
    const { code, cause } = current;
    const reason = typeof code === "string" ? REASONS[code] : undefined;
    if (reason !== undefined) return reason;
    current = cause;
  }
  return undefined;
}
