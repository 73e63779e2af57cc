import type { NoticeEntry } from "../protocol/entry.ts";
import { EntryId } from "../protocol/ids.ts";
import type { TurnError } from "../protocol/session-parts.ts";
import type { StopReason } from "../protocol/stop-reason.ts";
import { turnEndWords } from "../protocol/turn-end-words.ts";
import type { Scene } from "./scene.ts";

/** How a turn ended, for the record; null when the answer speaks for itself. */
export function turnEndNotice(scene: Scene, stopReason: StopReason, error?: TurnError): NoticeEntry | null {
  const words = turnEndWords(stopReason, error);
  if (!words) return null;
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
