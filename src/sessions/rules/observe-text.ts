import type { AgentEvent } from "../../ports/agents.ts";
import type { Entry, Part, TextEntry, UserEntry } from "../../protocol/entry.ts";
import { isTextEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { cutAt } from "../../protocol/shown-text.ts";
import type { SessionContext } from "./session-context.ts";

/** A longer text continues in a further entry: every frame, row and node stays bounded, and no text is dropped. */
export const ENTRY_CHARS_MAX = 1_000_000;

type Text = Extract<AgentEvent, { type: "text" }>;

/** Text grows the entry it belongs to, or starts a new one; after its turn it revises the closed entry. */
export function observeText(context: SessionContext, event: Text): FactBody[] {
  if (event.text === "") return [];
  if (event.kind === "user") return observeUserText(context, event);
  const active = isTurnActive(context.state.turn);
  const target = textTarget(context, event);
  if (!target) return startText(context, event, event.text);
  const room = ENTRY_CHARS_MAX - target.entry.content.length;
  const head = cutAt(event.text, Math.max(room, 0));
  const rest = event.text.slice(head.length);
  const grown: FactBody[] =
    head === ""
      ? []
      : active && !target.late
        ? [{ type: "session:chunk", entryId: target.entry.entryId, content: head }]
        : [revise({ ...target.entry, content: target.entry.content + head }, target.late)];
  return rest === "" ? grown : [...grown, ...startText(context, event, rest, target.entry)];
}

interface Target {
  readonly entry: TextEntry;
  /** It belongs to a turn that has ended. */
  readonly late: boolean;
}

/** Adjacent text of the same kind and message grows; text after its turn finds its message by the agent's id. */
function textTarget(context: SessionContext, event: Text): Target | null {
  const last = lastOf(context, event.parentToolCallId);
  if (isTextEntry(last) && last.type === event.kind && isSameMessage(last, event) && !hasParts(last))
    return { entry: last, late: false };
  // A turn that retries a message has no entry yet, and must not continue the answer of the turn before.
  if (context.state.open.length > 0 || isTurnActive(context.state.turn)) return null;
  const settled =
    event.messageId === undefined ? withoutId(context.lastSettled) : context.settledByAgentId(event.messageId);
  return settled && isTextEntry(settled) && settled.type === event.kind ? { entry: settled, late: true } : null;
}

/** A sub-agent and its parent may send text at the same time: each text continues its own sender's. */
function lastOf({ state }: SessionContext, parentToolCallId: string | undefined): Entry | undefined {
  return state.open.findLast((entry) => entry.parentToolCallId === parentToolCallId);
}

function isSameMessage(entry: TextEntry, event: Text): boolean {
  return entry.messageId === event.messageId && entry.parentToolCallId === event.parentToolCallId;
}

/** Agents without ids send late text right after their answer: it belongs to that. */
function withoutId(entry: Entry | null): TextEntry | null {
  return entry && isTextEntry(entry) && entry.messageId === undefined && !hasParts(entry) ? entry : null;
}

/** Complete from the start: nothing is appended to it. */
export function hasParts(entry: TextEntry): boolean {
  return entry.type === "assistant" && entry.parts !== undefined;
}

function startText(context: SessionContext, event: Text, text: string, before?: TextEntry): FactBody[] {
  const pieces = splitText(text);
  const facts: FactBody[] = before ? [complete(before.entryId)] : closeOpenText(context, event.parentToolCallId);
  pieces.forEach((content, index) => {
    const entry = newTextEntry(context, event, content);
    facts.push({ type: "session:update", entry });
    const grows = index === pieces.length - 1 && isTurnActive(context.state.turn);
    if (!grows) facts.push(complete(entry.entryId));
  });
  return facts;
}

function newTextEntry(context: SessionContext, event: Text, content: string): TextEntry {
  const base = {
    entryId: EntryId.parse(context.newId()),
    ...turnOf(context),
    content,
    timestamp: context.now,
    ...(event.messageId !== undefined && { messageId: event.messageId }),
    ...parentOf(event),
  };
  return event.kind === "thinking" ? { ...base, type: "thinking" } : { ...base, type: "assistant" };
}

/** An image, a link or any other content that is not text is a separate entry at its position. */
export function observePart(context: SessionContext, event: Extract<AgentEvent, { type: "part" }>): FactBody[] {
  const { kind, part } = event;
  if (kind === "user" && askedEntry(context)?.attachments?.some((sent) => isSamePart(sent, part))) return [];
  const entryId = EntryId.parse(context.newId());
  const base = { entryId, ...turnOf(context), content: "", timestamp: context.now, ...parentOf(event) };
  const entry: Entry =
    kind === "user" ? { ...base, type: "user", attachments: [part] } : { ...base, type: "assistant", parts: [part] };
  return [
    ...closeOpenText(context, event.parentToolCallId),
    { type: "session:update", entry },
    ...(kind === "user" ? [] : [complete(entryId)]),
  ];
}

/** Agents echo the prompt; only text that is not ours is new. */
function observeUserText(context: SessionContext, event: Text): FactBody[] {
  const { text } = event;
  const last = lastOf(context, event.parentToolCallId);
  const isEcho = event.parentToolCallId === undefined && isOurs(context, text.trim());
  if (isEcho) return [];
  // A message in the user's name, but not by the user: the next piece of it extends it.
  if (last?.type === "user" && last.commandId === undefined && last.parentToolCallId === event.parentToolCallId)
    return [revise({ ...last, content: last.content + text }, false)];
  const base = { entryId: EntryId.parse(context.newId()), ...turnOf(context), ...parentOf(event) };
  return [
    ...closeOpenText(context, event.parentToolCallId),
    { type: "session:update", entry: { ...base, type: "user", content: text, timestamp: context.now } },
  ];
}

function parentOf({ parentToolCallId }: { readonly parentToolCallId?: string }): { parentToolCallId?: string } {
  return parentToolCallId === undefined ? {} : { parentToolCallId };
}

/** Part of the user's prompt, or of a message that was steered into the turn. */
function isOurs(context: SessionContext, text: string): boolean {
  const steering = context.state.queue.filter((item) => item.steering);
  return [askedEntry(context), ...steering].some((said) => said?.content.includes(text));
}

function askedEntry(context: SessionContext): UserEntry | undefined {
  return context.state.open.findLast(
    (entry): entry is UserEntry => entry.type === "user" && entry.commandId !== undefined,
  );
}

/** Compared by content: an agent that echoes a part may drop or add its description. */
function isSamePart(one: Part, other: Part): boolean {
  const carried = (part: Part) => ("data" in part ? part.data : "uri" in part ? part.uri : JSON.stringify(part));
  return one.type === other.type && carried(one) === carried(other);
}

/**
 * Anything that starts after a growing text ends that text, if both are of the same sender: the session's agent, or the
 * sub-agent of this call.
 */
export function closeOpenText(context: SessionContext, parentToolCallId?: string): FactBody[] {
  const last = lastOf(context, parentToolCallId);
  return isTextEntry(last) && !hasParts(last) && isTurnActive(context.state.turn) ? [complete(last.entryId)] : [];
}

export function turnOf(context: SessionContext): { turnId?: NonNullable<SessionContext["state"]["turn"]["turnId"]> } {
  const { turn } = context.state;
  return isTurnActive(turn) && turn.turnId ? { turnId: turn.turnId } : {};
}

function complete(entryId: EntryId): FactBody {
  return { type: "session:complete", entryId };
}

function revise(entry: Entry, late: boolean): FactBody {
  return late ? { type: "session:update", entry, late: true } : { type: "session:update", entry };
}

function splitText(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const piece = cutAt(rest, ENTRY_CHARS_MAX);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}
