import { boundNesting } from "../../../lib/nesting.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import type { Json } from "../../../protocol/json.ts";
import { asObject, asString, type JsonObject } from "../read-json.ts";
import type { AcpFailure } from "./acp-hooks.ts";
import { failureMessage } from "./failure-message.ts";

const PROMPT_MARK = "-p";

/** The id of a prompt names its turn, so that an answer finds it whichever server hears it. */
export function promptKey(epoch: string, turnId: string): string {
  return `${epoch}${PROMPT_MARK}${turnId}`;
}

export const STEERING = "_session/steering";
const STEER_MARK = "-s";

/** Likewise, for a message that is to reach the running turn. */
export function steerKey(epoch: string, commandId: string): string {
  return `${epoch}${STEER_MARK}${commandId}`;
}

export function commandOfSteer(key: string): string {
  return key.slice(key.indexOf(STEER_MARK) + STEER_MARK.length);
}

/** The turn a prompt was sent for, whichever server sent it. */
export function turnOfPrompt(key: string): string {
  return key.slice(key.indexOf(PROMPT_MARK) + PROMPT_MARK.length);
}

/** Deeper than any message is; what is nested without end cannot be written as JSON again. */
const MESSAGE_LEVELS_MAX = 1_000;

export function parseMessage(text: string): JsonObject | null {
  return text.startsWith("{") ? asObject(boundNesting(parseJson(text), MESSAGE_LEVELS_MAX)) : null;
}

export function failureOf(error: Json | undefined): AcpFailure | null {
  const failure = asObject(error);
  if (!failure) return null;
  const code = failure["code"];
  return {
    code: typeof code === "number" ? code : 0,
    message: failureMessage(asString(failure["message"]) ?? "The agent gave no reason.", failure["data"]),
  };
}
