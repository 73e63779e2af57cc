import type { NoticeEntry } from "../../protocol/entry.ts";
import { EntryId } from "../../protocol/ids.ts";
import type { TurnError } from "../../protocol/session-parts.ts";
import type { StopReason } from "../../protocol/stop-reason.ts";
import { turnEndWords } from "../../protocol/turn-end-words.ts";
import type { Scene } from "./scene.ts";

/** Fewer characters could be in any error by chance. */
const SAID_CHARS_MIN = 20;

/** How a turn ended, for the record; null when the answer speaks for itself. */
export function turnEndNotice(scene: Scene, stopReason: StopReason, error?: TurnError): NoticeEntry | null {
  const words = turnEndWords(stopReason, error);
  if (!words) return null;
  const { turnId } = scene.state.turn;
  const content = shorterWords(scene, stopReason, error) ?? words.content;
  return {
    type: "notice",
    entryId: EntryId.parse(scene.newId()),
    ...(turnId && { turnId }),
    severity: words.severity,
    content,
    timestamp: scene.now,
    turnEnd: stopReason,
  };
}

/** What only the circumstances tell: who stopped the turn, and whether the agent has said its error already. */
function shorterWords(scene: Scene, stopReason: StopReason, error: TurnError | undefined): string | null {
  if (stopReason === "cancelled" && scene.cancelling !== scene.state.turn.turnId)
    return "The agent stopped here. Everything received so far was kept.";
  const last = scene.state.open.at(-1);
  const said = last?.type === "assistant" ? last.content.trim() : "";
  const isSaid = said.length >= SAID_CHARS_MIN && (error?.message.includes(said) ?? false);
  return stopReason === "error" && isSaid ? "The turn failed with this error." : null;
}
