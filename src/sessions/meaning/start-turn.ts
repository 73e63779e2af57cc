import type { UserEntry } from "../../protocol/entry.ts";
import { EntryId, TurnId } from "../../protocol/ids.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";
import { deriveTitle } from "./derive-title.ts";
import type { Outcome, Scene } from "./scene.ts";

/** The user's message becomes an entry, the turn begins, and the agent is to hear it. */
export function startTurn(scene: Scene, item: QueueItem): Outcome {
  const turnId = TurnId.parse(scene.newId());
  const { content, author, attachments = [], commandId } = item;
  const title = scene.state.titleSource === "none" ? deriveTitle(content) : null;
  return {
    facts: [
      ...(title === null ? [] : [{ type: "session:title-updated" as const, title, source: "derived" as const }]),
      {
        type: "session:update",
        entry: {
          type: "user",
          entryId: EntryId.parse(scene.newId()),
          turnId,
          content,
          ...(author && { author }),
          ...(attachments.length > 0 && { attachments }),
          timestamp: scene.now,
          commandId,
        },
      },
      { type: "session:turn", turn: { state: "running", turnId, startedAt: scene.now } },
    ],
    effects: [{ type: "prompt", turnId, content, attachments }],
  };
}

/** A turn for a message that has its entry already. */
export function restartTurn(scene: Scene, { content, attachments = [] }: UserEntry, isAfresh: boolean): Outcome {
  const turnId = TurnId.parse(scene.newId());
  return {
    facts: [{ type: "session:turn", turn: { state: "running", turnId, startedAt: scene.now } }],
    effects: [{ type: "prompt", turnId, content, attachments, ...(isAfresh && { afresh: true }) }],
  };
}
