import { APICallError } from "@ai-sdk/provider";
import { isObject, stringAt } from "../wire/json.ts";
import type { ModelSettings } from "./settings.ts";

const HTTP = {
  ok: 200,
  badRequest: 400,
  unauthorized: 401,
  unpaid: 402,
  forbidden: 403,
  notFound: 404,
  tooLarge: 413,
  tooMany: 429,
} as const;
const SERVER_ERROR = 500;
const WORDS_CHARACTERS_MAX = 500;
const TOO_LONG = /context|too long|too many tokens|maximum .*tokens/i;
/** Inside a successful stream only unambiguous errors count. */
const TOO_LONG_IN_STREAM = /context.?(length|window|size)|prompt is too long|too many tokens|maximum .*tokens/i;
const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;

/** The endpoint closed the connection during the answer. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

/** The endpoint accepted the request and sends nothing. */
export class Silent extends Error {
  override readonly name = "Silent";

  constructor(ms: number) {
    const minutes = Math.round(ms / MS_PER_MINUTE);
    super(`sent nothing for ${minutes > 1 ? `${minutes} minutes` : `${Math.ceil(ms / MS_PER_SECOND)} s`}`);
  }
}

/** The endpoint does not come to an end. */
export class Endless extends Error {
  override readonly name = "Endless";

  constructor(limit: string) {
    super(`did not end its answer within ${limit}`);
  }
}

/** The endpoint answered with something that is not a model's answer. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";

  constructor(what: string) {
    super(`answered with ${what}, not with a model's answer`);
  }
}

/** What went wrong with a model request, and whether a retry may help. */
export type Trouble = {
  readonly words: string;
  readonly mayPass: boolean;
  readonly wayOut: string;
  /** The delay requested by the endpoint. */
  readonly waitMs: number | undefined;
  readonly isTooLong: boolean;
};

/** As a message for the user, without the key. */
export function readTrouble(error: unknown, settings: ModelSettings, now: number): Trouble {
  // A successful answer that the library could not read has broken off, whatever the error says.
  const hasStatus = APICallError.isInstance(error) && error.statusCode !== HTTP.ok && !isUnreadable(error);
  const status = hasStatus ? error.statusCode : undefined;
  const headers = (APICallError.isInstance(error) && error.responseHeaders) || {};
  const said = withoutKey(errorText(error), settings.key).slice(0, WORDS_CHARACTERS_MAX);
  const place = new URL(settings.url).host;
  const none = { waitMs: undefined, isTooLong: false };
  if (error instanceof WrongAnswer)
    return { ...none, words: `The model at ${place} ${said}.`, mayPass: false, wayOut: `Check ${settings.names.url}.` };
  if (error instanceof Silent) {
    const wayOut = "Check that it is up and not overloaded. LIMINAL_MODEL_SILENT_MS sets how long to wait.";
    return { ...none, words: `The model at ${place} ${said}.`, mayPass: false, wayOut };
  }
  if (error instanceof Endless) {
    const wayOut =
      "Ask for less at once, or choose another model. LIMINAL_MODEL_ANSWER_MS sets how long an answer may take.";
    return { ...none, words: `The model at ${place} ${said}.`, mayPass: false, wayOut };
  }
  if (status === undefined) {
    const failure = connectionFailure(error);
    const words = failure ? `Could not connect to ${place} (${failure}).` : `The model at ${place}: ${said}.`;
    const isTooLong = failure === undefined && TOO_LONG_IN_STREAM.test(said);
    const mayPass = failure === undefined || !LASTING.has(failure);
    // An endpoint's error text is not a problem of its address.
    const isSaid = failure === undefined && said !== BROKE_OFF && said !== NO_ANSWER;
    const wayOut = failure?.startsWith("certificate")
      ? CERTIFICATE_WAY_OUT
      : wayOutOf(isSaid ? SERVER_ERROR : undefined, settings);
    return { words, mayPass, wayOut, waitMs: readWait(headers, now), isTooLong };
  }
  return {
    words: `The model at ${place} answered ${status}: ${said}.`,
    mayPass: status === HTTP.tooMany || status >= SERVER_ERROR || isRetryable(error),
    wayOut: wayOutOf(status, settings),
    waitMs: readWait(headers, now),
    isTooLong: status === HTTP.tooLarge || (status === HTTP.badRequest && TOO_LONG.test(said)),
  };
}

function isRetryable(error: unknown): boolean {
  return APICallError.isInstance(error) && error.isRetryable;
}

function wayOutOf(status: number | undefined, { key, names, model }: ModelSettings): string {
  switch (status) {
    case undefined:
      return `Check ${names.url}, most end in /v1, and that it can be reached.`;
    case HTTP.unauthorized:
    case HTTP.forbidden:
      return key === undefined
        ? `No key is set: put it into ${names.key}${names.thenWhat}.`
        : `Check the key in ${names.key}${names.thenWhat}.`;
    case HTTP.unpaid:
      return `Check the account that the key in ${names.key} belongs to.`;
    case HTTP.notFound:
      return `Check ${names.url} and whether there is a model "${model}".`;
    case HTTP.badRequest:
      return `Check ${names.kind}, and whether the model "${model}" can use tools; else start a new session.`;
    case HTTP.tooMany:
      return "Wait a while.";
    default:
      return status >= SERVER_ERROR
        ? "The endpoint has a problem: wait a while, or choose another model."
        : `Check ${names.url} and the model "${model}".`;
  }
}

/** Milliseconds, seconds or a date, depending on the endpoint. */
function readWait(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const after = headers["retry-after"];
  if (after === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1_000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const BROKE_OFF = "broke off its answer";
const NO_ANSWER = "sent something that is not a model's answer";
const CERTIFICATE_WAY_OUT =
  "Check the address. If it is right, set NODE_EXTRA_CA_CERTS to the file of its certificate authority and start the app again.";

/** The library's messages for a stream that ended too early. */
const ENDED_EARLY = /without a finish reason|process successful response/i;

/**
 * The library's messages for events that it cannot read; it gives some of them a status that the endpoint did not send.
 */
const UNREADABLE = /JSON parsing failed|Type validation failed/i;

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && UNREADABLE.test(error.message);
}

function errorText(error: unknown): string {
  const words = error instanceof Error ? error.message : isObject(error) ? stringAt(error, "message") : String(error);
  if (isUnreadable(error)) return NO_ANSWER;
  if (words && ENDED_EARLY.test(words)) return BROKE_OFF;
  return (words || "it failed without a message").replace(/\.+$/, "");
}

function withoutKey(words: string, key: string | undefined): string {
  return key ? words.replaceAll(key, "[key]") : words;
}

const NO_HTTP = "what is there does not speak HTTP";
const NO_TLS = "what is there does not speak TLS; try http://";
const UNTRUSTED = "certificate not trusted";
/** A retry cannot help. */
const LASTING: ReadonlySet<string> = new Set([
  NO_HTTP,
  NO_TLS,
  UNTRUSTED,
  "certificate expired",
  "certificate is for another host",
]);

/** Texts for the runtime's error codes, because its own messages ask the reader questions. */
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
  Malformed_HTTP_Response: NO_HTTP,
  EPROTO: NO_TLS,
  CERT_HAS_EXPIRED: "certificate expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another host",
};
const CAUSES_MAX = 8;

/** Why the connection failed, or undefined for any other failure. Looks through wrapping errors. */
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
