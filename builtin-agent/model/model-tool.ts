import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { Turn } from "../turn/turn.ts";
import type { JsonObject } from "../wire/json.ts";

/** What a call is answered with; an error is for the model to read and to do better. */
export type ToolAnswer = { readonly text: string; readonly isError: boolean };

/** Something the model can call. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: LanguageModelV3FunctionTool["inputSchema"];
  run(turn: Turn, input: JsonObject): Promise<ToolAnswer>;
};

/** What one call may put into the model's context. */
const ANSWER_CHARACTERS_MAX = 30_000;

/** Beginning and end of what is too long, with a word about what is missing. */
export function bounded(text: string, charactersMax = ANSWER_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return text;
  const half = Math.floor(charactersMax / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
}

export function done(text: string): ToolAnswer {
  return { text: bounded(text), isError: false };
}

export function failed(text: string): ToolAnswer {
  return { text: bounded(text), isError: true };
}
