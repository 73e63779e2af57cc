import type { NoticeEntry } from "../protocol/entry.ts";
import { EntryId } from "../protocol/ids.ts";
import type { TurnError } from "../protocol/session-parts.ts";
import type { StopReason } from "../protocol/stop-reason.ts";
import type { Scene } from "./scene.ts";

type Words = Pick<NoticeEntry, "severity" | "content">;

/** How a turn ended, for the record; null when the answer speaks for itself. */
export function turnEndNotice(scene: Scene, stopReason: StopReason, error?: TurnError): NoticeEntry | null {
  if (stopReason === "end_turn") return null;
  const words = turnEndWords(stopReason, error);
  const { turnId } = scene.state.turn;
  return {
    type: "notice",
    entryId: EntryId.parse(scene.newId()),
    ...(turnId && { turnId }),
    ...words,
    timestamp: scene.now,
    turnEnd: stopReason,
  };
}

function turnEndWords(stopReason: Exclude<StopReason, "end_turn">, error: TurnError | undefined): Words {
  switch (stopReason) {
    case "cancelled":
      return { severity: "info", content: "Cancelled. What had arrived is kept." };
    case "interrupted":
      return {
        severity: "warning",
        content: error?.message ?? "Interrupted: the agent stopped before it was done. What had arrived is kept.",
      };
    case "error":
      return { severity: "error", content: error?.message ?? "The agent reported an error and ended this turn." };
    case "refusal":
      return {
        severity: "warning",
        content:
          "The agent declined to go on with this, and forgets this message and what came after it. Rephrase the message to try again.",
      };
    case "max_tokens":
      return { severity: "warning", content: "Stopped at the model's token limit. Send a message to go on." };
    case "max_turn_requests":
      return { severity: "warning", content: "Stopped at the limit of requests in one turn. Send a message to go on." };
    default:
      return stopReason satisfies never;
  }
}
