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
/** In the stream of a good answer only what cannot mean anything else. */
const TOO_LONG_IN_STREAM = /context.?(length|window|size)|prompt is too long|too many tokens|maximum .*tokens/i;
const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;

/** The endpoint was there and then was not. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

/** The endpoint took the question and says nothing. */
export class Silent extends Error {
  override readonly name = "Silent";

  constructor(ms: number) {
    const minutes = Math.round(ms / MS_PER_MINUTE);
    super(`said nothing for ${minutes > 1 ? `${minutes} minutes` : `${Math.ceil(ms / MS_PER_SECOND)} s`}`);
  }
}

/** The endpoint answered with something that no model says. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";

  constructor(what: string) {
    super(`answered with ${what}, not with a model's answer`);
  }
}

/** What went wrong with a question to the model, and whether asking again may help. */
export type Trouble = {
  readonly words: string;
  readonly mayPass: boolean;
  readonly wayOut: string;
  /** How long the endpoint asks us to wait. */
  readonly waitMs: number | undefined;
  readonly isTooLong: boolean;
};

/** In words for the user; the key is in none of them. */
export function readTrouble(error: unknown, settings: ModelSettings, now: number): Trouble {
  // What the library could not read of a good answer is an answer that broke off, whatever it calls it.
  const status = APICallError.isInstance(error) && error.statusCode !== HTTP.ok ? error.statusCode : undefined;
  const headers = (APICallError.isInstance(error) && error.responseHeaders) || {};
  const said = withoutKey(errorText(error), settings.key).slice(0, WORDS_CHARACTERS_MAX);
  const place = new URL(settings.url).host;
  const none = { waitMs: undefined, isTooLong: false };
  if (error instanceof WrongAnswer)
    return { ...none, words: `The model at ${place} ${said}.`, mayPass: false, wayOut: "Check LIMINAL_MODEL_URL." };
  if (error instanceof Silent) {
    const wayOut = "Check that it is up and not overloaded. LIMINAL_MODEL_SILENT_MS sets how long to wait.";
    return { ...none, words: `The model at ${place} ${said}.`, mayPass: false, wayOut };
  }
  if (status === undefined) {
    const failure = connectionFailure(error);
    const words = failure ? `Could not connect to ${place} (${failure}).` : `The model at ${place}: ${said}.`;
    const isTooLong = failure === undefined && TOO_LONG_IN_STREAM.test(said);
    return { words, mayPass: true, wayOut: wayOutOf(status, settings), waitMs: readWait(headers, now), isTooLong };
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

function wayOutOf(status: number | undefined, { key, keyFrom, model }: ModelSettings): string {
  switch (status) {
    case undefined:
      return "Check LIMINAL_MODEL_URL (most end in /v1) and that it can be reached.";
    case HTTP.unauthorized:
    case HTTP.forbidden:
      return key === undefined
        ? `No key is set: put it into ${keyFrom} and start the app again.`
        : `Check the key in ${keyFrom} and start the app again.`;
    case HTTP.unpaid:
      return `Look at the account that the key in ${keyFrom} belongs to.`;
    case HTTP.notFound:
      return `Check LIMINAL_MODEL_URL and whether there is a model "${model}".`;
    case HTTP.badRequest:
      return `Check LIMINAL_MODEL_KIND, and whether the model "${model}" can use tools; else start a new session.`;
    case HTTP.tooMany:
      return "Wait a while.";
    default:
      return status >= SERVER_ERROR
        ? "It has trouble of its own: wait a while, or choose another model."
        : `Check LIMINAL_MODEL_URL and the model "${model}".`;
  }
}

/** Milliseconds, seconds or a date, as endpoints like it. */
function readWait(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const after = headers["retry-after"];
  if (after === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1_000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** How the library names a stream that ended too early. */
const ENDED_EARLY = /without a finish reason|process successful response/i;

function errorText(error: unknown): string {
  const words = error instanceof Error ? error.message : isObject(error) ? stringAt(error, "message") : String(error);
  if (words && ENDED_EARLY.test(words)) return "broke off its answer";
  return (words || "it failed without a word").replace(/\.+$/, "");
}

function withoutKey(words: string, key: string | undefined): string {
  return key ? words.replaceAll(key, "[key]") : words;
}

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
