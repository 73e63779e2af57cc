import { readFileSync } from "node:fs";
import { isObject, parseJson } from "../wire/json.ts";

/** Supported dialects: chat completions, which nearly every server supports, and the Messages API. */
const KINDS = ["openai", "anthropic"] as const;
const REASONING = ["none", "minimal", "low", "medium", "high"] as const;

const CONTEXT_TOKENS_DEFAULT = 128_000;
const CONTEXT_TOKENS_MIN = 1_000;
const STEPS_DEFAULT = 100;
const RETRY_MS_DEFAULT = 1_000;
/** A model on a small machine may need minutes for its first token; an endpoint that is silent for longer has failed. */
const SILENT_MS_DEFAULT = 5 * 60_000;
/** Long answers of slow models take minutes; one that takes longer than this does not end. */
const ANSWER_MS_DEFAULT = 30 * 60_000;
/** The Messages API requires a limit; other endpoints have their own. */
const ANTHROPIC_OUTPUT_TOKENS = 8_192;

/** A model behind an address. */
export type ModelSettings = {
  readonly kind: (typeof KINDS)[number];
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
  /** How messages to the user name the settings. */
  readonly names: SettingNames;
  readonly contextTokens: number;
  readonly outputTokens: number | undefined;
  readonly stepsMax: number;
  /** The delay before the first retry; it doubles with each. */
  readonly retryMs: number;
  /** An endpoint that sends nothing for this long is abandoned. */
  readonly silentMsMax: number;
  /** One answer takes no longer than this. */
  readonly answerMsMax: number;
  readonly reasoning: (typeof REASONING)[number] | undefined;
  readonly prices: Prices | undefined;
};

/** Where the user finds each setting. */
type SettingNames = {
  readonly url: string;
  readonly kind: string;
  readonly key: string;
  readonly contextTokens: string;
  /** Settings of the environment are read at the start only. */
  readonly thenWhat: string;
};

/** From the user or the endpoint; unknown otherwise. */
export type Prices = {
  readonly inputPerMillionTokens: number;
  readonly outputPerMillionTokens: number;
  /** Of input that the endpoint had in its cache. */
  readonly cachedPerMillionTokens: number;
  readonly currency: string;
};

type Env = Readonly<Record<string, string | undefined>>;

/** None, one, or an unusable one with the reason. */
export type ModelChoice =
  | { readonly state: "none" }
  | { readonly state: "ready"; readonly settings: ModelSettings }
  | { readonly state: "wrong"; readonly problem: string };

class SettingError extends Error {
  override readonly name = "SettingError";
}

/** The model named by the environment, else by the settings file that `LIMINAL_MODEL_FILE` names. */
export function chooseModel(env: Env): ModelChoice {
  try {
    const given = readGiven(env);
    if (!given.env["LIMINAL_MODEL_URL"] && !given.env["LIMINAL_MODEL"]) return { state: "none" };
    return { state: "ready", settings: readSettings(given) };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return { state: "wrong", problem: error.message };
  }
}

/** The variable that holds the key; LIMINAL_MODEL_KEY_FROM can name another one. */
export function keyVariable(env: Env): string {
  return env["LIMINAL_MODEL_KEY_FROM"] || "LIMINAL_MODEL_KEY";
}

/** The variable that commands must not see: of the environment or, if a key is named there, of the settings file. */
export function secretVariable(env: Env): string {
  try {
    return keyVariable(readGiven(env).env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return keyVariable(env);
  }
}

type Given = { readonly env: Env; readonly isFromFile: boolean };

/** The fields of the settings file, which the app writes, and the corresponding variables. */
const FIELDS = {
  kind: "LIMINAL_MODEL_KIND",
  url: "LIMINAL_MODEL_URL",
  model: "LIMINAL_MODEL",
  key: "LIMINAL_MODEL_KEY",
  keyFrom: "LIMINAL_MODEL_KEY_FROM",
  contextTokens: "LIMINAL_MODEL_CONTEXT",
  outputTokens: "LIMINAL_MODEL_OUTPUT",
  reasoning: "LIMINAL_MODEL_REASONING",
  inputPrice: "LIMINAL_MODEL_INPUT_PRICE",
  outputPrice: "LIMINAL_MODEL_OUTPUT_PRICE",
  cachedPrice: "LIMINAL_MODEL_CACHED_PRICE",
  currency: "LIMINAL_MODEL_CURRENCY",
} as const;
const FILE_BYTES_MAX = 64 * 1024;

/** A model of the environment has priority. A file replaces all of its fields, so that no key goes to another address. */
function readGiven(env: Env): Given {
  const path = env["LIMINAL_MODEL_FILE"];
  // A draft of the settings page that is only tested has no file yet.
  const isDraft = env["LIMINAL_MODEL_DRAFT"] === "1";
  if (env["LIMINAL_MODEL_URL"] || env["LIMINAL_MODEL"] || !path) return { env, isFromFile: isDraft };
  const text = readIfThere(path);
  if (text === undefined) return { env, isFromFile: false };
  const parsed = text.length <= FILE_BYTES_MAX ? parseJson(text) : { ok: false as const };
  if (!parsed.ok || !isObject(parsed.value))
    throw new SettingError(`${path} cannot be read. Set the model again: ${IN_PAGE}, or liminal model set.`);
  const file = parsed.value;
  const given = Object.entries(FIELDS).map(([field, variable]) => {
    const value = file[field];
    return [variable, typeof value === "string" || typeof value === "number" ? String(value) : undefined];
  });
  return { env: { ...env, ...Object.fromEntries(given) }, isFromFile: true };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new SettingError(`${path} cannot be read (${code}). Check its permissions.`);
  }
}

const IN_PAGE = "Settings, Built-in agent";

function namesOf({ env, isFromFile }: Given): SettingNames {
  if (!isFromFile)
    return {
      url: "LIMINAL_MODEL_URL",
      kind: "LIMINAL_MODEL_KIND",
      key: keyVariable(env),
      contextTokens: "LIMINAL_MODEL_CONTEXT",
      thenWhat: " and start the app again",
    };
  const key = env["LIMINAL_MODEL_KEY_FROM"];
  return {
    url: `the address (${IN_PAGE})`,
    kind: `the API (${IN_PAGE})`,
    key: key ? `the variable ${key}` : IN_PAGE,
    contextTokens: `the context size in ${IN_PAGE}`,
    thenWhat: key ? " and start the app again" : "",
  };
}

function readSettings(given: Given): ModelSettings {
  const { env } = given;
  const model = env["LIMINAL_MODEL"];
  if (!model) throw new SettingError("LIMINAL_MODEL is not set: name the model to use.");
  const url = readUrl(env["LIMINAL_MODEL_URL"]);
  const kind = choice(env, "LIMINAL_MODEL_KIND", KINDS) ?? (url.includes("anthropic") ? "anthropic" : "openai");
  const key = env[keyVariable(env)] || undefined;
  if (env["LIMINAL_MODEL_KEY_FROM"] && key === undefined) {
    throw new SettingError(`LIMINAL_MODEL_KEY_FROM names ${keyVariable(env)}, which is not set.`);
  }
  return {
    kind,
    url,
    model,
    key,
    names: namesOf(given),
    contextTokens: count(env, "LIMINAL_MODEL_CONTEXT", CONTEXT_TOKENS_MIN) ?? CONTEXT_TOKENS_DEFAULT,
    outputTokens: count(env, "LIMINAL_MODEL_OUTPUT", 1) ?? (kind === "anthropic" ? ANTHROPIC_OUTPUT_TOKENS : undefined),
    stepsMax: count(env, "LIMINAL_MODEL_STEPS", 1) ?? STEPS_DEFAULT,
    retryMs: count(env, "LIMINAL_MODEL_RETRY_MS", 0) ?? RETRY_MS_DEFAULT,
    silentMsMax: count(env, "LIMINAL_MODEL_SILENT_MS", 1) ?? SILENT_MS_DEFAULT,
    answerMsMax: count(env, "LIMINAL_MODEL_ANSWER_MS", 1) ?? ANSWER_MS_DEFAULT,
    reasoning: choice(env, "LIMINAL_MODEL_REASONING", REASONING),
    prices: readPrices(env),
  };
}

/** Input and output need a price; cached input costs as much as other input unless it has its own. */
function readPrices(env: Env): Prices | undefined {
  const input = price(env, "LIMINAL_MODEL_INPUT_PRICE");
  const output = price(env, "LIMINAL_MODEL_OUTPUT_PRICE");
  if (input === undefined && output === undefined) return undefined;
  if (input === undefined || output === undefined)
    throw new SettingError("LIMINAL_MODEL_INPUT_PRICE and LIMINAL_MODEL_OUTPUT_PRICE belong together: set both.");
  const currency = env["LIMINAL_MODEL_CURRENCY"] || "USD";
  if (!/^[A-Z]{3}$/.test(currency)) throw new SettingError("LIMINAL_MODEL_CURRENCY must be a code such as USD or EUR.");
  return {
    inputPerMillionTokens: input,
    outputPerMillionTokens: output,
    cachedPerMillionTokens: price(env, "LIMINAL_MODEL_CACHED_PRICE") ?? input,
    currency,
  };
}

function price(env: Env, name: string): number | undefined {
  const given = env[name];
  if (!given) return undefined;
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(given))
    throw new SettingError(`${name} must be a price for a million tokens, such as 2.5.`);
  return Number(given);
}

/** Without a path the usual one is used. */
function readUrl(given: string | undefined): string {
  if (!given) throw new SettingError("LIMINAL_MODEL_URL is not set. Set it to the model's address, including /v1.");
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new SettingError("LIMINAL_MODEL_URL must be an http or https address, such as http://127.0.0.1:11434/v1.");
  }
  if (url.pathname === "/") url.pathname = "/v1";
  return url.href.replace(/\/$/, "");
}

function count(env: Env, name: string, min: number): number | undefined {
  const given = env[name];
  if (!given) return undefined;
  if (!/^\d{1,9}$/.test(given) || Number(given) < min)
    throw new SettingError(`${name} must be a number from ${min} on.`);
  return Number(given);
}

function choice<Word extends string>(env: Env, name: string, words: readonly Word[]): Word | undefined {
  const given = env[name];
  if (!given) return undefined;
  const found = words.find((word) => word === given);
  if (found === undefined) throw new SettingError(`${name} is one of ${words.join(", ")}, not "${given}".`);
  return found;
}
