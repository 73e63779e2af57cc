import type { FactBody } from "../../protocol/facts.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";

/** The queue as it now stands; an empty one is never held back. */
export function queueFact(items: readonly QueueItem[], paused: boolean): FactBody {
  return { type: "session:queue", items: [...items], paused: paused && items.length > 0 };
}
