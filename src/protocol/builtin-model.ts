import { z } from "zod/mini";
import { CliType } from "./ids.ts";

/** The agent that needs no account, no model and no network. */
export const BUILTIN_AGENT = CliType.parse("builtin");

/** The dialects that the built-in agent speaks: chat completions, and the Messages API. */
export const ModelKind = z.enum(["openai", "anthropic"]);
export type ModelKind = z.infer<typeof ModelKind>;

const optionalNumber = z.optional(z.number());
const numbers = { contextTokens: optionalNumber, inputPrice: optionalNumber, outputPrice: optionalNumber };

/** The model as clients see it: everything but the key. */
export const ShownModel = z.object({
  /** `variables`: set in the environment or config.json, which have priority and cannot be changed here. */
  source: z.enum(["none", "page", "variables"]),
  kind: ModelKind,
  url: z.string(),
  model: z.string(),
  /** `kept`: stored here. Otherwise the variable that holds it, if any. */
  key: z.object({
    from: z.enum(["none", "kept", "variable"]),
    name: z.optional(z.string()),
    isSet: z.optional(z.boolean()),
  }),
  ...numbers,
  currency: z.optional(z.string()),
});
export type ShownModel = z.infer<typeof ShownModel>;

/** A model of the endpoint; few endpoints report more than its name. */
export const ListedModel = z.object({
  name: z.string(),
  ...numbers,
});
export type ListedModel = z.infer<typeof ListedModel>;

export const MODEL_ANSWERS = {
  /** Every client receives changes. */
  "model:settings": { settings: ShownModel },
  "model:tested": { ok: z.boolean(), message: z.string(), fix: z.optional(z.string()) },
  /** With a problem, the list is empty. */
  "model:listed": { models: z.array(ListedModel), problem: z.optional(z.string()) },
};
