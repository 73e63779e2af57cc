import type { ModelServer } from "../agents/model-server/model-server.ts";

/** A key that must be seen by the endpoint and by nobody else. */
export const KEY = "made-up-key-4711";

/** How the built-in agent is given a model; a wait before another try costs no time here. */
export function modelEnv(model: ModelServer, kind: "openai" | "anthropic" = "openai"): Record<string, string> {
  return {
    LIMINAL_MODEL_URL: `${model.origin}/v1`,
    LIMINAL_MODEL: "scripted-1",
    LIMINAL_MODEL_KIND: kind,
    LIMINAL_MODEL_KEY: KEY,
    LIMINAL_MODEL_RETRY_MS: "0",
  };
}
