import type { Turn } from "../../protocol/session-parts.ts";

/** What can be done about a turn that ended badly. */
export type TurnEndAction = "retry" | "sign-in";

export interface TurnEndWords {
  readonly severity: "info" | "warning" | "error";
  readonly words: string;
}

/** What to say about the end of a turn; null when the answer speaks for itself. */
export function turnEndWords({ stopReason, error }: Turn): TurnEndWords | null {
  switch (stopReason) {
    case undefined:
    case "end_turn":
      return null;
    case "cancelled":
      return { severity: "info", words: "Cancelled. What had arrived is kept." };
    case "interrupted":
      return {
        severity: "warning",
        words: error?.message ?? "Interrupted: the agent stopped before it was done. What had arrived is kept.",
      };
    case "error":
      return { severity: "error", words: error?.message ?? "The agent reported an error and ended this turn." };
    case "refusal":
      return {
        severity: "warning",
        words: "The agent declined to go on with this. Rephrase the message to try again.",
      };
    case "max_tokens":
      return { severity: "warning", words: "Stopped at the model's token limit. Send a message to go on." };
    case "max_turn_requests":
      return { severity: "warning", words: "Stopped at the limit of requests in one turn. Send a message to go on." };
    default:
      return stopReason satisfies never;
  }
}

/** What the user can do about the end of a turn; nothing about one that went well or was their own stop. */
export function turnEndActions({ stopReason, error }: Turn): readonly TurnEndAction[] {
  if (stopReason !== "interrupted" && stopReason !== "error") return [];
  return error?.code === "AGENT_AUTH_REQUIRED" ? ["sign-in", "retry"] : ["retry"];
}
