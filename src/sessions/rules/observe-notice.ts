import type { AgentEvent, CompactionPatch } from "../../ports/agents.ts";
import type { Entry, NoticeEntry, UserEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import { cutAt } from "../../protocol/shown-text.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { SessionContext, WorkdirEvent } from "./session-context.ts";

const SUMMARY_CHARS_MAX = 64_000;

type Compaction = NonNullable<NoticeEntry["compaction"]>;

export function observeNotice(context: SessionContext, event: Extract<AgentEvent, { type: "notice" }>): FactBody[] {
  const { severity, content, branch } = event;
  const entry = noticeEntry(context, { severity, content, ...(branch && { branch }) });
  return [...closeOpenText(context), { type: "session:update", entry }];
}

/**
 * The agent starts without its memory: the message on its way to it, or else the next one, contains the conversation so
 * far.
 */
export function observeMemoryLost(
  context: SessionContext,
  { context: told }: Extract<WorkdirEvent, { type: "memory-lost" }>,
): FactBody[] {
  const what = "The agent could not restore its memory of this conversation and starts over.";
  const notice = (content: string): FactBody[] =>
    observeNotice(context, { type: "notice", severity: "warning", content });
  if (told === null) return notice(what);
  const asked = askedNow(context);
  const gets = (message: string) =>
    `${what} The transcript is kept: the agent gets what was said so far with ${message}.`;
  if (asked === null)
    return [...notice(gets("your next message")), { type: "session:primer", primer: { context: told, options: {} } }];
  const isOpen = context.state.open.some(({ entryId }) => entryId === asked.entryId);
  const entry = { ...asked, context: told };
  return [...notice(gets("this message")), { type: "session:update", entry, ...(!isOpen && { late: true }) }];
}

/** The message of the running turn; one that is sent again has settled. */
export function askedNow({ state, lastUserEntry }: SessionContext): UserEntry | null {
  if (!isTurnActive(state.turn)) return null;
  const asked = state.open.find((entry) => entry.type === "user" && entry.turnId === state.turn.turnId);
  return asked?.type === "user" ? asked : lastUserEntry();
}

function noticeEntry(
  context: SessionContext,
  words: Partial<NoticeEntry> & Pick<NoticeEntry, "severity" | "content">,
): NoticeEntry {
  return {
    type: "notice",
    entryId: EntryId.parse(context.newId()),
    ...turnOf(context),
    timestamp: context.now,
    ...words,
  };
}

/** One entry per compaction, at its first event: it starts, may stream its summary, and ends. */
export function observeCompaction(context: SessionContext, patch: CompactionPatch): FactBody[] {
  const { compactionId: id } = patch;
  const open = context.state.open.findLast((entry) => isCompaction(entry, id));
  const settled = open ? null : context.settledByAgentId(id);
  const known = open ?? (settled?.type === "notice" ? settled : null);
  const status = patch.status ?? known?.compaction?.status ?? "in_progress";
  const summary = patch.summary ?? (known?.details ?? "") + (patch.more ?? "");
  const change = {
    ...compactionWords(status, patch.error),
    compaction: { id, status },
    ...(summary !== "" && { details: cutAt(summary, SUMMARY_CHARS_MAX) }),
  };
  if (!known) return [...closeOpenText(context), { type: "session:update", entry: noticeEntry(context, change) }];
  const entry: NoticeEntry = { ...known, ...change };
  return [open ? { type: "session:update", entry } : { type: "session:update", entry, late: true }];
}

function isCompaction(entry: Entry, id: string): entry is NoticeEntry {
  return entry.type === "notice" && entry.compaction?.id === id;
}

function compactionWords(status: Compaction["status"], error?: string): Pick<NoticeEntry, "severity" | "content"> {
  switch (status) {
    case "in_progress":
      return { severity: "info", content: "Compacting the agent's context…" };
    case "completed":
      return { severity: "info", content: "Context compacted. The agent continues from a summary." };
    case "failed":
      return {
        severity: "warning",
        content: `The agent could not compact its context${error ? `: ${error}` : "."}`,
      };
    case "cancelled":
      return { severity: "info", content: "Compacting the context was stopped." };
    default:
      return status satisfies never;
  }
}

/** A compaction that still runs when its turn ends has stopped with it. */
export function settleCompactions(context: SessionContext): FactBody[] {
  return context.state.open.flatMap((entry): FactBody[] => {
    if (entry.type !== "notice" || entry.compaction?.status !== "in_progress") return [];
    const compaction = { ...entry.compaction, status: "cancelled" as const };
    return [{ type: "session:update", entry: { ...entry, ...compactionWords("cancelled"), compaction } }];
  });
}

/** A mode change affects what the agent may do from here on, so the transcript records it. */
export function noteModeChange(context: SessionContext, options: readonly ConfigOption[]): FactBody[] {
  // An agent that takes over starts with its own mode and then gets that of the session: this is not a change.
  if (context.state.primer !== null) return [];
  const before = modeOf(context.state.config.options);
  const after = modeOf(options);
  const hasEntries = context.state.open.length > 0 || context.lastSettled !== null;
  if (!before || !after || !hasEntries || before.currentValue === after.currentValue) return [];
  const content = `${after.name} changed to ${nameOf(after)}.`;
  return [
    ...closeOpenText(context),
    { type: "session:update", entry: noticeEntry(context, { severity: "info", content }) },
  ];
}

type Select = Extract<ConfigOption, { type: "select" }>;

function modeOf(options: readonly ConfigOption[]): Select | undefined {
  return options.find((option): option is Select => option.type === "select" && option.category === "mode");
}

function nameOf({ options, currentValue }: Select): string {
  const values = options.flatMap((value) => ("group" in value ? value.options : [value]));
  return values.find(({ value }) => value === currentValue)?.name ?? currentValue;
}
