import { z } from "zod/mini";
import { ModelKind } from "./builtin-model.ts";

const MODEL_URL_CHARS_MAX = 2_000;
const MODEL_NAME_CHARS_MAX = 200;
const MODEL_KEY_CHARS_MAX = 4_000;
export const MODEL_CONTEXT_TOKENS_MIN = 1_000;
const MODEL_TOKENS_MAX = 100_000_000;
const PRICE_MAX = 100_000;

const HTTP = "expected an address that starts with http:// or https://, for example http://127.0.0.1:11434/v1";
const PASSWORD = "remove the user and password from the address; the key has a field of its own";

/** Where the model answers, up to and with `/v1`. */
export const ModelUrl = z.string({ error: HTTP }).check(
  z.trim(),
  z.maxLength(MODEL_URL_CHARS_MAX),
  z.refine((text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ""), { error: HTTP, abort: true }),
  z.refine((text) => parseUrl(text)?.username === "" && parseUrl(text)?.password === "", { error: PASSWORD }),
);

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

const name = z
  .string({ error: "expected the name of a model" })
  .check(z.trim(), z.minLength(1, { error: "expected the name of a model" }), z.maxLength(MODEL_NAME_CHARS_MAX));

/** Where the key comes from. `kept`: the stored one, which no client ever gets to see. */
export const ModelKey = z.discriminatedUnion("from", [
  z.object({ from: z.literal("none") }),
  z.object({ from: z.literal("kept") }),
  z.object({
    from: z.literal("typed"),
    value: z
      .string()
      .check(
        z.trim(),
        z.minLength(1),
        z.maxLength(MODEL_KEY_CHARS_MAX),
        z.regex(/^[\x21-\x7e]+$/, { error: "a key has no spaces and only plain characters" }),
      ),
  }),
  z.object({
    from: z.literal("variable"),
    name: z.string().check(
      z.regex(/^[A-Za-z_]\w{0,99}$/, {
        error: "expected the name of an environment variable, such as OPENAI_API_KEY",
      }),
    ),
  }),
]);
export type ModelKey = z.infer<typeof ModelKey>;

const price = z
  .number({ error: "expected a price for a million tokens, such as 2.5" })
  .check(z.minimum(0, { error: "a price cannot be negative" }), z.maximum(PRICE_MAX));
const limits = {
  contextTokens: z.optional(
    z
      .int({ error: "expected a whole number of tokens" })
      .check(
        z.minimum(MODEL_CONTEXT_TOKENS_MIN, { error: `expected at least ${MODEL_CONTEXT_TOKENS_MIN} tokens` }),
        z.maximum(MODEL_TOKENS_MAX),
      ),
  ),
  /** Both or none, for a million tokens. */
  inputPrice: z.optional(price),
  outputPrice: z.optional(price),
  currency: z.optional(z.string().check(z.regex(/^[A-Z]{3}$/, { error: "expected a code such as USD or EUR" }))),
};
const endpoint = { kind: ModelKind, url: ModelUrl, key: ModelKey };

/** What the user enters. */
export const ModelDraft = z.object({ ...endpoint, model: name, ...limits });
export type ModelDraft = z.infer<typeof ModelDraft>;

export const MODEL_REQUESTS = {
  "model:get": {},
  "model:save": { draft: ModelDraft },
  /** The key is deleted, too. */
  "model:remove": {},
  /** Sends the model one short request. Without a draft: to the model as it is set. */
  "model:test": { draft: z.optional(ModelDraft) },
  "model:list": z.object(endpoint).shape,
};
