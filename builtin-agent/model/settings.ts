/** The dialects there are: chat completions, which nearly every server speaks, and the Messages API. */
const KINDS = ["openai", "anthropic"] as const;
const REASONING = ["none", "minimal", "low", "medium", "high"] as const;

const CONTEXT_TOKENS_DEFAULT = 128_000;
const CONTEXT_TOKENS_MIN = 1_000;
const STEPS_DEFAULT = 100;
const RETRY_MS_DEFAULT = 1_000;
/** A model on a small machine may need minutes for its first word; an endpoint that is silent for longer has lost us. */
const SILENT_MS_DEFAULT = 5 * 60_000;
/** The Messages API wants a bound; other endpoints know their own. */
const ANTHROPIC_OUTPUT_TOKENS = 8_192;

/** A model behind an address. */
export type ModelSettings = {
  readonly kind: (typeof KINDS)[number];
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
  /** The variable that the key comes from, for words to the user. */
  readonly keyFrom: string;
  readonly contextTokens: number;
  readonly outputTokens: number | undefined;
  readonly stepsMax: number;
  /** The first wait before another try; it doubles with each. */
  readonly retryMs: number;
  /** An endpoint that says nothing for so long is given up. */
  readonly silentMsMax: number;
  readonly reasoning: (typeof REASONING)[number] | undefined;
};

type Env = Readonly<Record<string, string | undefined>>;

/** None, one, or one that cannot be used and why. */
export type ModelChoice =
  | { readonly state: "none" }
  | { readonly state: "ready"; readonly settings: ModelSettings }
  | { readonly state: "wrong"; readonly problem: string };

class SettingError extends Error {
  override readonly name = "SettingError";
}

/** Which model the environment names. */
export function chooseModel(env: Env): ModelChoice {
  if (!env["LIMINAL_MODEL_URL"] && !env["LIMINAL_MODEL"]) return { state: "none" };
  try {
    return { state: "ready", settings: readSettings(env) };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return { state: "wrong", problem: error.message };
  }
}

/** The variable that holds the key; the name of another may stand in LIMINAL_MODEL_KEY_FROM. */
export function keyVariable(env: Env): string {
  return env["LIMINAL_MODEL_KEY_FROM"] || "LIMINAL_MODEL_KEY";
}

function readSettings(env: Env): ModelSettings {
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
    keyFrom: keyVariable(env),
    contextTokens: count(env, "LIMINAL_MODEL_CONTEXT", CONTEXT_TOKENS_MIN) ?? CONTEXT_TOKENS_DEFAULT,
    outputTokens: count(env, "LIMINAL_MODEL_OUTPUT", 1) ?? (kind === "anthropic" ? ANTHROPIC_OUTPUT_TOKENS : undefined),
    stepsMax: count(env, "LIMINAL_MODEL_STEPS", 1) ?? STEPS_DEFAULT,
    retryMs: count(env, "LIMINAL_MODEL_RETRY_MS", 0) ?? RETRY_MS_DEFAULT,
    silentMsMax: count(env, "LIMINAL_MODEL_SILENT_MS", 1) ?? SILENT_MS_DEFAULT,
    reasoning: choice(env, "LIMINAL_MODEL_REASONING", REASONING),
  };
}

/** Without a path the usual one is meant. */
function readUrl(given: string | undefined): string {
  if (!given) throw new SettingError("LIMINAL_MODEL_URL is not set: say where the model is, up to and with /v1.");
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
