import type { Json } from "../../../protocol/json.ts";
import type { PromptAbilities } from "../../../protocol/session-parts.ts";
import { asObject, asString, type JsonObject } from "../read-json.ts";

/** What a prompt may carry, as `initialize` answered it. What is not said is not offered. */
export function readAbilities(answer: JsonObject): PromptAbilities {
  const prompt = asObject(asObject(answer["agentCapabilities"])?.["promptCapabilities"]);
  const steering = asObject(asObject(answer["_meta"])?.["steering"]);
  return {
    image: prompt?.["image"] === true,
    audio: prompt?.["audio"] === true,
    embeddedContext: prompt?.["embeddedContext"] === true,
    steering: steering?.["supported"] === true,
  };
}

/** An answer without one of these words is a no: some agents answer any method they do not know with an empty yes. */
export function steeringOutcome(result: JsonObject | null): "joined" | "elsewhere" | "not-taken" {
  const outcome: Json | undefined = asString(result?.["outcome"]);
  if (outcome === "injected") return "joined";
  return outcome === "startedNewTurn" ? "elsewhere" : "not-taken";
}
