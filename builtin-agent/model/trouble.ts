import { APICallError } from "@ai-sdk/provider";
import { isObject, stringAt } from "../wire/json.ts";
import type { ModelSettings } from "./settings.ts";

const HTTP = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  tooLarge: 413,
  tooMany: 429,
} as const;
const SERVER_ERROR = 500;
const WORDS_CHARACTERS_MAX = 500;
const TOO_LONG = /context|too long|too many tokens|maximum .*tokens/i;

/** The endpoint was there and then was not. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
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
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const headers = (APICallError.isInstance(error) && error.responseHeaders) || {};
  const said = withoutKey(wordsOf(error), settings.key).slice(0, WORDS_CHARACTERS_MAX);
  const place = new URL(settings.url).host;
  return {
    words:
      status === undefined ? `The model at ${place}: ${said}.` : `The model at ${place} answered ${status}: ${said}.`,
    mayPass: status === undefined || status === HTTP.tooMany || status >= SERVER_ERROR || isRetryable(error),
    wayOut: wayOutOf(status, settings),
    waitMs: readWait(headers, now),
    isTooLong: (status === HTTP.badRequest || status === HTTP.tooLarge) && TOO_LONG.test(said),
  };
}

function isRetryable(error: unknown): boolean {
  return APICallError.isInstance(error) && error.isRetryable;
}

function wayOutOf(status: number | undefined, { key, model }: ModelSettings): string {
  switch (status) {
    case HTTP.unauthorized:
    case HTTP.forbidden:
      return key === undefined
        ? "No key is set: put it into LIMINAL_MODEL_KEY and start the app again."
        : "Check the key in LIMINAL_MODEL_KEY and start the app again.";
    case HTTP.notFound:
      return `Check LIMINAL_MODEL_URL and whether there is a model "${model}".`;
    case HTTP.badRequest:
    case HTTP.tooLarge:
      return "If the talk has become too long, say /compact; else start a new session.";
    default:
      return "Check that LIMINAL_MODEL_URL can be reached, then send your message again.";
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

function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : isObject(error) ? stringAt(error, "message") : String(error);
  return (words || "it failed without a word").replace(/\.+$/, "");
}

function withoutKey(words: string, key: string | undefined): string {
  return key ? words.replaceAll(key, "[key]") : words;
}
