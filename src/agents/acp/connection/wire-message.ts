import { boundNesting } from "../../../lib/nesting.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import type { Json } from "../../../protocol/json.ts";
import { asObject, asString, type JsonObject } from "../read-json.ts";
import type { AcpFailure } from "./acp-hooks.ts";

const PROMPT_MARK = "-p";

/** The id of a prompt names its turn, so that a response finds it whichever server reads it. */
export function promptKey(epoch: string, turnId: string): string {
  return `${epoch}${PROMPT_MARK}${turnId}`;
}

export const STEERING = "_session/steering";
const STEER_MARK = "-s";

/** The same for a steering message. */
export function steerKey(epoch: string, commandId: string): string {
  return `${epoch}${STEER_MARK}${commandId}`;
}

export function commandOfSteer(key: string): string {
  return key.slice(key.indexOf(STEER_MARK) + STEER_MARK.length);
}

/** The turn of a prompt, whichever server sent it. */
export function turnOfPrompt(key: string): string {
  return key.slice(key.indexOf(PROMPT_MARK) + PROMPT_MARK.length);
}

/** The id of a request to the user: the process and the line it came in, so that every server gives it the same id. */
export function requestIdAt(processId: string, offset: number): string {
  return `${processId}-${offset}`;
}

/** The line of a request of this process; null for a request of another one. */
export function offsetOfRequest(processId: string, requestId: string): number | null {
  const offset = requestId.startsWith(`${processId}-`) ? Number(requestId.slice(processId.length + 1)) : Number.NaN;
  return Number.isInteger(offset) ? offset : null;
}

/** Deeper than real messages; endless nesting cannot be serialized again. */
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
    data: failure["data"],
  };
}

/** An agent's failure as plain text: some put it in `data`, some send their model's JSON as the message. */
export function failureMessage(message: string, data: unknown): string {
  const plain = plainMessage(message);
  const details = typeof data === "string" ? data : detailsIn(asObject(data) ?? {});
  return withAdvice(details === undefined || plain.includes(details) ? plain : `${plain}: ${details}`);
}

const ROOT_ADVICE =
  "Claude Code refuses to run as root unless IS_SANDBOX is 1. " +
  "Start Liminal Builder as another user, or set IS_SANDBOX=1 if this machine is a container or a sandbox.";

/** Adds advice to messages that do not explain what to do. */
export function withAdvice(complaint: string): string {
  const isAboutRoot = complaint.includes("cannot be used with root/sudo privileges");
  return isAboutRoot && !complaint.includes(ROOT_ADVICE) ? `${complaint}\n${ROOT_ADVICE}` : complaint;
}

function detailsIn(data: JsonObject): string | undefined {
  return asString(data["details"]) ?? asString(data["message"]) ?? asString(asObject(data["error"])?.["message"]);
}

function plainMessage(message: string): string {
  if (!message.startsWith("{")) return message;
  try {
    const told = asObject(JSON.parse(message));
    return asString(asObject(told?.["error"])?.["message"]) ?? asString(told?.["message"]) ?? message;
  } catch (error) {
    if (error instanceof SyntaxError) return message;
    throw error;
  }
}
