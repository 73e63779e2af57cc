import type { Refusal } from "../protocol/errors.ts";
import type { Answer } from "../sessions/answer.ts";

/** A tool's refusal; the message tells the caller what to do instead. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

export function refusedBy({ message, details }: Refusal): ToolError {
  return new ToolError(details === undefined ? message : `${message} ${details}`);
}

/** The result of a command, unless it was refused. */
export function accepted(answer: Answer): Exclude<Answer, { kind: "refused" }> {
  if (answer.kind === "refused") throw refusedBy(answer.refusal);
  return answer;
}
