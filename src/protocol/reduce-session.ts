import type { Entry } from "./entry.ts";
import { findToolCall, positionOfEntry, withEntry, withReplaced } from "./entry-index.ts";
import type { FactBody } from "./facts.ts";
import type { EntryId } from "./ids.ts";
import { isPermission, isQuestion } from "./pending-request.ts";
import { PendingQuestion } from "./question.ts";
import { PendingPermission } from "./session-parts.ts";
import { isTurnActive, type SessionState } from "./session-schema.ts";
import { extend } from "./shown-text.ts";

/**
 * Defines what each fact means. The server folds facts to decide, the browser to display, tests to check. Pure: no
 * clock, no ids, no I/O; time and identity arrive inside the fact.
 */
export function reduceSession(state: SessionState, fact: FactBody & { readonly seq: number }): SessionState {
  if (fact.seq <= state.seq) return state;
  return { ...applyFact(state, fact), seq: fact.seq };
}

function applyFact(state: SessionState, fact: FactBody): SessionState {
  switch (fact.type) {
    case "session:update":
      return noteSubAgent(upsertEntry(state, fact), fact.entry);
    case "session:chunk":
      return replaceEntry(state, fact.entryId, (entry) => appendText(entry, fact.content, fact.field ?? "content"));
    case "session:complete":
    case "session:cancelled":
    case "session:raw":
      return state;
    case "session:turn":
      return fact.turn.state === "idle"
        ? settle({ ...state, turn: fact.turn })
        : { ...state, turn: fact.turn, dismissed: false };
    case "session:queue":
      return { ...state, queue: fact.items, queuePaused: fact.paused };
    case "session:waits":
      return { ...state, waits: fact.items };
    case "session:changes":
      return { ...state, changes: fact.counts };
    case "session:worktree":
      return { ...state, worktree: fact.worktree };
    case "session:pause":
      return { ...state, pause: fact.pause };
    case "session:away":
      return { ...state, away: fact.away };
    case "session:organized":
      return { ...state, pinned: fact.pinned, labels: fact.labels, dismissed: fact.dismissed };
    case "session:agent-notes":
      return { ...state, agentNotes: fact.notes, toldNotes: fact.told ?? [] };
    case "session:primer":
      return { ...state, primer: fact.primer };
    case "session:config":
      return { ...state, config: fact.config };
    case "session:title-updated":
      return { ...state, title: fact.title, titleSource: fact.source };
    case "session:archived":
      return { ...state, archived: true };
    case "session:unarchived":
      return { ...state, archived: false };
    case "permission:request": {
      if (fact.by === "policy") return state;
      const { type: _, by: __, ...asked } = fact;
      return { ...state, pending: [...state.pending, PendingPermission.parse(asked)] };
    }
    case "permission:resolved": {
      const asked = state.pending.filter(isPermission).find((one) => one.permissionId === fact.permissionId);
      return {
        ...withWaiting(state, asked?.toolCall.toolCallId, asked?.askedAt, fact.at),
        pending: state.pending.filter((one) => one !== asked),
      };
    }
    case "elicitation:request":
      return { ...state, pending: [...state.pending, PendingQuestion.parse(fact)] };
    case "elicitation:resolved":
      return resolveQuestion(state, fact);
    default:
      return fact satisfies never;
  }
}

/** A page is only accepted, not visited: it stays visible, but no answer is awaited any more. */
function resolveQuestion(state: SessionState, fact: Extract<FactBody, { type: "elicitation:resolved" }>): SessionState {
  const isIt = ({ elicitationId }: PendingQuestion) => elicitationId === fact.elicitationId;
  const asked = state.pending.filter(isQuestion).find(isIt);
  const isVisited = asked?.mode === "url" && fact.action === "accept" && fact.done !== true;
  return {
    ...withWaiting(state, asked?.toolCallId, asked?.askedAt, fact.at),
    pending: state.pending.filter((one) => one !== asked),
    visits: [...state.visits.filter((visit) => !isIt(visit)), ...(isVisited ? [asked] : [])],
  };
}

/** The time that a call waits for the user is not part of its own duration. */
function withWaiting(
  state: SessionState,
  toolCallId: string | undefined,
  askedAt: string | undefined,
  answeredAt: string | undefined,
): SessionState {
  if (toolCallId === undefined || askedAt === undefined || answeredAt === undefined) return state;
  const call = findToolCall(state.open, toolCallId);
  const waitedMs = Date.parse(answeredAt) - Date.parse(askedAt);
  if (!call || !(waitedMs > 0)) return state;
  // A call outside a turn is open for some readers and settled for others.
  if (!isTurnActive(state.turn) || call.turnId !== state.turn.turnId) return state;
  return replaceEntry(state, call.entryId, () => ({ ...call, waitedMs: (call.waitedMs ?? 0) + waitedMs }));
}

function settle(state: SessionState): SessionState {
  if (state.open.length === 0) return state;
  return { ...state, settled: [...state.settled, ...state.open], open: [] };
}

function upsertEntry(
  state: SessionState,
  { entry, late, before }: Extract<FactBody, { type: "session:update" }>,
): SessionState {
  const replaced = replaceEntry(state, entry.entryId, () => entry);
  if (replaced !== state || late) return replaced;
  const place = before === undefined ? -1 : positionOfEntry(state.open, before);
  return { ...state, open: place === -1 ? withEntry(state.open, entry) : state.open.toSpliced(place, 0, entry) };
}

const SUB_AGENT_CALLS_MAX = 1_000;

function noteSubAgent(state: SessionState, entry: Entry): SessionState {
  if (entry.type !== "tool-call") return state;
  const { subAgentCalls } = state;
  const { toolCallId, parentToolCallId, status, subAgent } = entry;
  const isNoted = subAgentCalls.includes(toolCallId);
  const isOfSubAgent = subAgent || (parentToolCallId !== undefined && subAgentCalls.includes(parentToolCallId));
  if (status !== "running")
    return isNoted ? { ...state, subAgentCalls: subAgentCalls.filter((id) => id !== toolCallId) } : state;
  if (isNoted || !isOfSubAgent) return state;
  return { ...state, subAgentCalls: [...subAgentCalls, toolCallId].slice(-SUB_AGENT_CALLS_MAX) };
}

/** The open entries first: almost every change is there, and the settled list may be long. */
function replaceEntry(state: SessionState, entryId: EntryId, change: (entry: Entry) => Entry): SessionState {
  const inOpen = replaceIn(state.open, entryId, change);
  if (inOpen) return { ...state, open: inOpen };
  const inSettled = replaceIn(state.settled, entryId, change);
  return inSettled ? { ...state, settled: inSettled } : state;
}

function replaceIn(
  entries: readonly Entry[],
  entryId: EntryId,
  change: (entry: Entry) => Entry,
): readonly Entry[] | null {
  const position = positionOfEntry(entries, entryId);
  const entry = entries[position];
  return entry ? withReplaced(entries, position, change(entry)) : null;
}

function appendText(entry: Entry, text: string, field: "content" | "result"): Entry {
  if (field === "content") return { ...entry, content: entry.content + text };
  if (entry.type !== "tool-call") return entry;
  const { text: result, truncated } = extend({ text: entry.result ?? "", truncated: entry.truncated }, text);
  return { ...entry, result, ...(truncated && { truncated }) };
}
