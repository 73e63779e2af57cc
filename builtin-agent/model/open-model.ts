import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSettings } from "./settings.ts";

/** Endpoints of one's own often want no key, but the Messages API's library insists on some. */
const NO_KEY = "none";

/** The model behind its dialect. Imported here and now: the plain guide must not pay for it. */
export async function openModel({ kind, url, model, key }: ModelSettings): Promise<LanguageModelV4> {
  if (kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: url, apiKey: key ?? NO_KEY })(model);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const options = { name: "endpoint", baseURL: url, includeUsage: true };
  return createOpenAICompatible(key === undefined ? options : { ...options, apiKey: key })(model);
}
