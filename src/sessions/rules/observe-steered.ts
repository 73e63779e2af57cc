import type { AgentEvent } from "../../ports/agents.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { queueFact, startQueued } from "./decide-queue.ts";
import { closeOpenText } from "./observe-text.ts";
import { NOTHING, type Outcome, type SessionContext } from "./session-context.ts";

/** A message that was to join the running turn did, or stays first in the queue: it is never sent twice and never lost. */
export function observeSteered(context: SessionContext, event: Extract<AgentEvent, { type: "steered" }>): Outcome {
  const { queue, queuePaused } = context.state;
  const item = queue.find(({ commandId, steering }) => commandId === event.commandId && steering);
  if (!item) return NOTHING;
  const isTaken = event.outcome !== "not-taken";
  const left = isTaken
    ? queue.filter((other) => other !== item)
    : queue.map((one) => (one === item ? settled(one) : one));
  const said = isTaken ? sayInTurn(context, item) : [];
  // Work that the agent began by itself has no end we would hear of: nothing may be sent into it unasked.
  const paused = queuePaused || event.outcome === "elsewhere";
  const outcome: Outcome = { facts: [...said, queueFact(left, paused)], effects: [] };
  const [next] = left;
  if (paused || !next || next.steering || isTurnActive(context.state.turn)) return outcome;
  // Its turn ended while the answer was on its way, and the queue has waited for that.
  const started = startQueued({ ...context, state: { ...context.state, queue: left } }, next);
  return { facts: [...said, ...started.facts], effects: started.effects };
}

/** The agent that was to take them is gone: they wait like any other. */
export function withoutSteering(queue: readonly QueueItem[]): readonly QueueItem[] {
  return queue.some(({ steering }) => steering) ? queue.map(settled) : queue;
}

function settled({ steering: _, ...item }: QueueItem): QueueItem {
  return item;
}

function sayInTurn(context: SessionContext, { commandId, content, author, attachments }: QueueItem): FactBody[] {
  const { turnId } = context.state.turn;
  const entryId = EntryId.parse(context.newId());
  return [
    ...closeOpenText(context),
    {
      type: "session:update",
      entry: {
        type: "user",
        entryId,
        ...(turnId && { turnId }),
        content,
        ...(author && { author }),
        ...(attachments && { attachments }),
        timestamp: context.now,
        commandId,
        steered: true,
      },
    },
  ];
}
