import type { NoticeSeverity } from "./entry.ts";
import type { TurnError } from "./session-parts.ts";
import type { StopReason } from "./stop-reason.ts";

export interface TurnEndWords {
  readonly severity: NoticeSeverity;
  readonly content: string;
}

/** The text about the end of a turn; null if the answer is enough. */
export function turnEndWords(stopReason: StopReason | undefined, error?: TurnError): TurnEndWords | null {
  switch (stopReason) {
    case undefined:
    case "end_turn":
      return null;
    case "cancelled":
      return error
        ? { severity: "warning", content: `Stopped. ${error.message}` }
        : { severity: "info", content: "Stopped. Everything received so far was kept." };
    case "interrupted":
      return {
        severity: "warning",
        content:
          error?.message ?? "Interrupted: the agent stopped before it finished. Everything received so far was kept.",
      };
    case "error":
      // A limit is not a failure of the turn: a card beside it shows what can be done.
      return {
        severity: error?.limit ? "warning" : "error",
        content: error?.message ?? "The agent reported an error and ended this turn.",
      };
    case "refusal":
      return {
        severity: "warning",
        content:
          "The agent refused to continue and forgets this message and everything after it. Rephrase the message to try again.",
      };
    case "max_tokens":
      return { severity: "warning", content: "Stopped at the model's token limit. Send a message to continue." };
    case "max_turn_requests":
      return { severity: "warning", content: "Stopped at the request limit for one turn. Send a message to continue." };
    default:
      return stopReason satisfies never;
  }
}
