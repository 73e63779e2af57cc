import type { ModelRequest } from "./model-request.ts";
import { parseScript, type Step } from "./script.ts";

/** What a housekeeping request gets; agents make titles of it. */
export const HOUSEKEEPING_ANSWER = "Scripted title";
/** Begins the conversation that we tell an agent without a memory of it. Scripts in it have run already. */
const HISTORY_HEADING = "# The conversation so far:";
const FINISHED: Step = { does: "say", text: "Done." };

/** The steps of one model turn: those of the newest script that are left, up to and with its next tool call. */
export function planAnswer(request: ModelRequest): readonly Step[] {
  if (isHousekeeping(request)) {
    const text = request.wantsJson ? JSON.stringify({ title: HOUSEKEEPING_ANSWER }) : HOUSEKEEPING_ANSWER;
    return [{ does: "say", text }];
  }
  const at = request.said.findLastIndex(({ by, texts }) => by === "user" && scriptOf(texts).length > 0);
  if (at === -1) return [{ does: "say", text: "The scripted model was given no script." }];
  return stepsLeft(request, at, scriptOf(request.said[at]?.texts ?? []));
}

/** Of the steps that the message at `at` asks for: those that are left, up to and with the next tool call. */
export function stepsLeft(request: ModelRequest, at: number, steps: readonly Step[]): readonly Step[] {
  const made = request.said.slice(at + 1).reduce((total, { calls }) => total + calls, 0);
  return orFinished(untilTool(afterTools(steps, made)));
}

/** Work for the user comes with tools; titles, summaries and reviews do not. */
export function isHousekeeping(request: ModelRequest): boolean {
  return request.tools.length === 0 || request.wantsJson;
}

/** Agents put words of their own around the user's: the last text that holds a script is the user's. */
function scriptOf(texts: readonly string[]): Step[] {
  const asked = texts.map((text) => text.split(HISTORY_HEADING)[0] ?? "");
  return asked.map(parseScript).findLast((steps) => steps.length > 0) ?? [];
}

function afterTools(steps: readonly Step[], made: number): readonly Step[] {
  if (made === 0) return steps;
  const next = steps.findIndex(({ does }) => does === "tool");
  return next === -1 ? [] : afterTools(steps.slice(next + 1), made - 1);
}

function untilTool(steps: readonly Step[]): readonly Step[] {
  const tool = steps.findIndex(({ does }) => does === "tool");
  return tool === -1 ? steps : steps.slice(0, tool + 1);
}

function orFinished(steps: readonly Step[]): readonly Step[] {
  return steps.length > 0 ? steps : [FINISHED];
}
