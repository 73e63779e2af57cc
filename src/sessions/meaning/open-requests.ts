import type { NoticeEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import type { SessionState } from "../../protocol/session-state.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { Scene } from "./scene.ts";

/** Permissions and questions of one session together. Nobody reads more, and each one makes every later one dearer. */
export const OPEN_REQUESTS_MAX = 100;

export function isAskingTooMuch({ pending }: SessionState): boolean {
  return pending.length >= OPEN_REQUESTS_MAX;
}

/** After what came before it: said once for each turn and what follows it, however many more are asked. */
export function noteTooManyRequests(scene: Scene, before: readonly FactBody[]): readonly FactBody[] {
  const { open, turn } = scene.state;
  const entryId = EntryId.parse(`too-many-requests-${turn.turnId ?? "before"}`);
  if (open.some((entry) => entry.entryId === entryId) || scene.settledEntry(entryId) !== null) return before;
  const entry: NoticeEntry = {
    type: "notice",
    entryId,
    ...turnOf(scene),
    severity: "warning",
    content:
      `The agent asked for more than ${OPEN_REQUESTS_MAX} things at once. What it asked beyond that was answered with “cancelled”. ` +
      "Answer what is open, or stop the turn.",
    timestamp: scene.now,
  };
  const isClosed = before.some(({ type }) => type === "session:complete");
  return [...before, ...(isClosed ? [] : closeOpenText(scene)), { type: "session:update", entry }];
}
