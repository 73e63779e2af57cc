import type { AgentEvent } from "../../ports/agents.ts";
import type { SessionCommand } from "../../protocol/client-messages.ts";
import type { SessionAway } from "../../protocol/conversations.ts";
import type { MessageAuthor } from "../../protocol/entry.ts";
import { REFUSE } from "../../protocol/errors.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { CommandId, EntryId } from "../../protocol/ids.ts";
import { QUEUE_ITEMS_MAX } from "../../protocol/limits.ts";
import type { QueueItem } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { waitsFact } from "./elsewhere.ts";
import { closeOpenText } from "./observe-text.ts";
import { refuseAttachments, refuseQueue } from "./refuse-attachments.ts";
import { type Acted, type Decision, NOTHING, type Outcome, type SessionContext } from "./session-context.ts";
import { startTurn } from "./turn.ts";
import { isStopping } from "./turn-machine.ts";

type Command<Type extends SessionCommand["type"]> = Extract<SessionCommand, { type: Type }>;

/** A message that our own tools send on behalf of another sender; no client can set its author. */
export type AuthoredSend = Command<"session:send"> & { readonly author: MessageAuthor };

type Denial = Acted<Pick<Command<"permission:respond">, "sessionId" | "commandId">> & { readonly reason: string };

const accept = (outcome: Outcome): Decision => ({ ok: true, answer: null, ...outcome });

export function decideSend(
  context: SessionContext,
  command: Acted<Command<"session:send" | "session:steer">> | AuthoredSend,
): Decision {
  const { state } = context;
  const { content, attachments = [] } = command;
  if (isEmpty({ content, attachments }))
    return { ok: false, refusal: REFUSE.invalidMessage("content: must not be empty without attachments") };
  const refusal = refuseAttachments(attachments, state.config.abilities);
  if (refusal) return { ok: false, refusal };
  const item = queueItem(context, command);
  const aheadOf = command.type === "session:send" ? command.aheadOf : undefined;
  if (aheadOf && (isTurnActive(state.turn) || state.queuePaused)) return putBack(context, item, new Set(aheadOf));
  // A message at a usage limit would be spent on it: it waits with the others.
  if (isTurnActive(state.turn) || state.pause !== null) return wait(context, item);
  if (command.type === "session:send" && command.whenFree && state.away?.writer)
    return waitUntilFree(context, item, state.away);
  // Sending again means that work should continue: a paused queue follows this message.
  const resumed = state.queuePaused ? [queueFact(state.queue, false)] : [];
  const started = startTurn(context, item);
  return accept({ ...started, facts: [...resumed, ...started.facts] });
}

function wait(context: SessionContext, item: QueueItem): Decision {
  const { state } = context;
  if (state.queue.length >= QUEUE_ITEMS_MAX)
    return { ok: false, refusal: REFUSE.limitExceeded("queued messages", QUEUE_ITEMS_MAX) };
  // A message after the user's own stop does not wait with those that the stop held back: it goes first, the rest
  // follows.
  const isNext = isStopping(context) && state.queuePaused;
  const queue = isNext ? [item, ...state.queue] : [...state.queue, item];
  const refusal = refuseQueue(queue);
  if (refusal) return { ok: false, refusal };
  return accept({ facts: [queueFact(queue, (state.queuePaused && !isNext) || state.pause !== null)], effects: [] });
}

/** Another program has the conversation open: the queue continues when it is closed there. */
function waitUntilFree({ state: { queue } }: SessionContext, item: QueueItem, away: SessionAway): Decision {
  if (queue.length >= QUEUE_ITEMS_MAX)
    return { ok: false, refusal: REFUSE.limitExceeded("queued messages", QUEUE_ITEMS_MAX) };
  const items = [...queue, item];
  const refusal = refuseQueue(items);
  return refusal ? { ok: false, refusal } : accept({ facts: [queueFact(items, true), waitsFact(away)], effects: [] });
}

/** An edited message returns to its old position: ahead of the first message behind it that is still queued, else last. */
function putBack({ state }: SessionContext, item: QueueItem, aheadOf: ReadonlySet<CommandId>): Decision {
  const { queue, queuePaused } = state;
  if (queue.length >= QUEUE_ITEMS_MAX)
    return { ok: false, refusal: REFUSE.limitExceeded("queued messages", QUEUE_ITEMS_MAX) };
  const next = queue.findIndex(({ commandId, steering }) => !steering && aheadOf.has(commandId));
  const items = queue.toSpliced(next === -1 ? queue.length : next, 0, item);
  const refusal = refuseQueue(items);
  return refusal ? { ok: false, refusal } : accept({ facts: [queueFact(items, queuePaused)], effects: [] });
}

/** Waits at the head of the queue until the agent answers whether it accepted it, so the message is never lost. */
export function decideSteer(context: SessionContext, command: Acted<Command<"session:steer">>): Decision {
  const { state } = context;
  const { turnId } = state.turn;
  if (!isTurnActive(state.turn) || turnId === undefined || isStopping(context)) return decideSend(context, command);
  if (state.config.abilities?.steering !== true)
    return {
      ok: false,
      refusal: REFUSE.invalidMessage("sessionId: this agent accepts no messages during a turn; send it to queue it"),
    };
  const waiting = decideSend(context, command);
  if (!waiting.ok) return waiting;
  const item: QueueItem = { ...queueItem(context, command), steering: true };
  const ahead = state.queue.filter(({ steering }) => steering);
  const behind = state.queue.filter(({ steering }) => !steering);
  const { commandId, content, attachments = [] } = item;
  return accept({
    facts: [queueFact([...ahead, item, ...behind], state.queuePaused)],
    effects: [{ type: "steer", turnId, commandId, content, attachments }],
  });
}

/**
 * Why the user denied a request: sent into the running turn if the agent supports that, otherwise ahead of all queued
 * messages.
 */
export function decideReason(context: SessionContext, { sessionId, commandId, reason, person }: Denial): Decision {
  const { state } = context;
  const by = person && { person };
  const id = commandId ?? CommandId.parse(context.newId());
  const item: QueueItem = { commandId: id, content: reason, ...by, isReason: true };
  if (!isTurnActive(state.turn))
    return decideSend(context, { type: "session:send", sessionId, commandId: id, content: reason, ...by });
  const ahead = state.queue.filter(({ steering }) => steering);
  const behind = state.queue.filter(({ steering }) => !steering);
  if (state.queue.length >= QUEUE_ITEMS_MAX)
    return { ok: false, refusal: REFUSE.limitExceeded("queued messages", QUEUE_ITEMS_MAX) };
  const { turnId } = state.turn;
  if (turnId === undefined || state.config.abilities?.steering !== true)
    return accept({ facts: [queueFact([...ahead, item, ...behind], state.queuePaused)], effects: [] });
  return accept({
    facts: [queueFact([...ahead, { ...item, steering: true }, ...behind], state.queuePaused)],
    effects: [{ type: "steer", turnId, commandId: item.commandId, content: reason, attachments: [] }],
  });
}

/**
 * The editor's list, as far as it still applies: messages that started meanwhile are not sent a
 * second time, those that the agent may already have stay, and those that the editor never saw are kept behind the
 * rest.
 */
export function decideQueueEdit(context: SessionContext, command: Acted<Command<"session:queue-edit">>): Decision {
  const { queue, queuePaused, config } = context.state;
  const editable = new Map(queue.flatMap((item) => (item.steering ? [] : [[item.commandId, item] as const])));
  const known = new Set([...(command.seen ?? editable.keys()), ...command.items.map(({ commandId }) => commandId)]);
  const edited: QueueItem[] = [];
  for (const { commandId, content, attachments } of command.items) {
    const before = editable.get(commandId);
    if (!before) continue;
    editable.delete(commandId);
    const kept = attachments ?? before.attachments ?? [];
    // A message that the user rewrote is the user's.
    const author = content === before.content ? before.author : undefined;
    const person = content === before.content ? before.person : command.person;
    edited.push({
      commandId,
      content,
      ...(author && { author }),
      ...(person && { person }),
      ...(kept.length > 0 && { attachments: kept }),
      ...(before.isReason && { isReason: true }),
    });
  }
  if (edited.some(isEmpty))
    return { ok: false, refusal: REFUSE.invalidMessage("items: a message must not be empty without attachments") };
  const items = [
    ...queue.filter(({ steering }) => steering),
    ...edited,
    ...queue.filter(({ commandId, steering }) => !steering && !known.has(commandId)),
  ];
  const refusal =
    edited.map((item) => refuseAttachments(item.attachments ?? [], config.abilities)).find((one) => one !== null) ??
    refuseQueue(items);
  return refusal ? { ok: false, refusal } : accept({ facts: [queueFact(items, queuePaused)], effects: [] });
}

/** The user resumes the queue. */
export function decideResume(context: SessionContext): Decision {
  const { queue, queuePaused, turn } = context.state;
  const [next] = queue;
  if (!queuePaused || !next) return accept(NOTHING);
  if (isTurnActive(turn) || next.steering) return accept({ facts: [queueFact(queue, false)], effects: [] });
  return accept(startQueued(context, next));
}

/** One message goes before all others: the running turn is stopped for it, and its own starts when that has ended. */
export function decideSendNow(
  context: SessionContext,
  command: Command<"session:send-now">,
  stop: () => Outcome,
): Decision {
  const { queue, turn } = context.state;
  const item = queue.find(({ commandId }) => commandId === command.queuedId);
  // It has started meanwhile, or the agent is about to accept it: that is what was requested.
  if (!item || item.steering) return accept(NOTHING);
  if (!isTurnActive(turn)) return accept(startQueued(context, item));
  const stopped = stop();
  const first = [item, ...queue.filter((other) => other !== item)];
  return accept({ facts: [...stopped.facts, queueFact(first, false)], effects: stopped.effects });
}

/** Its turn starts, and the others follow it. */
function startQueued(context: SessionContext, item: QueueItem): Outcome {
  const others = context.state.queue.filter((other) => other !== item);
  const started = startTurn(context, item);
  return { facts: [queueFact(others, false), ...started.facts], effects: started.effects };
}

function queueItem(
  context: SessionContext,
  command: Acted<Command<"session:send" | "session:steer">> | AuthoredSend,
): QueueItem {
  const { commandId = CommandId.parse(context.newId()), content, attachments = [] } = command;
  const author = "author" in command ? command.author : undefined;
  const person = "person" in command ? command.person : undefined;
  return {
    commandId,
    content,
    ...(author && { author }),
    ...(person && { person }),
    ...(attachments.length > 0 && { attachments }),
  };
}

function isEmpty({ content, attachments = [] }: Pick<QueueItem, "content" | "attachments">): boolean {
  return content.trim() === "" && attachments.length === 0;
}

/** The new queue; an empty one is never paused. */
export function queueFact(items: readonly QueueItem[], paused: boolean): FactBody {
  return { type: "session:queue", items: [...items], paused: paused && items.length > 0 };
}

/** A message that was to join the running turn did, or stays first in the queue: it is never sent twice and never lost. */
export function observeSteered(context: SessionContext, event: Extract<AgentEvent, { type: "steered" }>): Outcome {
  const { queue, queuePaused } = context.state;
  const item = queue.find(({ commandId, steering }) => commandId === event.commandId && steering);
  if (!item) return NOTHING;
  const isTaken = event.outcome !== "not-taken";
  const left = isTaken
    ? queue.filter((other) => other !== item)
    : queue.map((one) => (one === item ? settled(one) : one));
  const said = isTaken ? steeredEntry(context, item) : [];
  // Work that the agent started by itself has no end that we would see: nothing may be sent into it automatically.
  const paused = queuePaused || event.outcome === "elsewhere";
  const outcome: Outcome = { facts: [...said, queueFact(left, paused)], effects: [] };
  const [next] = left;
  if (paused || !next || next.steering || isTurnActive(context.state.turn)) return outcome;
  // Its turn ended while the answer was on its way, and the queue has waited for that.
  const started = startQueued({ ...context, state: { ...context.state, queue: left } }, next);
  return { facts: [...said, ...started.facts], effects: started.effects };
}

/** The agent that was to accept them has ended: they wait like others. */
export function withoutSteering(queue: readonly QueueItem[]): readonly QueueItem[] {
  return queue.some(({ steering }) => steering) ? queue.map(settled) : queue;
}

function settled({ steering: _, ...item }: QueueItem): QueueItem {
  return item;
}

function steeredEntry(context: SessionContext, item: QueueItem): FactBody[] {
  const { commandId, content, author, person, attachments } = item;
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
        ...(person && { person }),
        ...(attachments && { attachments }),
        timestamp: context.now,
        commandId,
        steered: true,
      },
    },
  ];
}
