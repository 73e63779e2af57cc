import type { AgentEvent, CompactionPatch } from "../../ports/agents.ts";
import type { Entry, NoticeEntry } from "../../protocol/entry.ts";
import type { FactBody } from "../../protocol/facts.ts";
import { EntryId } from "../../protocol/ids.ts";
import type { ConfigOption } from "../../protocol/session-parts.ts";
import { cutAt } from "../../protocol/shown-text.ts";
import { closeOpenText, turnOf } from "./observe-text.ts";
import type { SessionContext } from "./session-context.ts";

const SUMMARY_CHARS_MAX = 64_000;

type Compaction = NonNullable<NoticeEntry["compaction"]>;

export function observeNotice(context: SessionContext, event: Extract<AgentEvent, { type: "notice" }>): FactBody[] {
  const { severity, content } = event;
  return [...closeOpenText(context), { type: "session:update", entry: noticeEntry(context, { severity, content }) }];
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

/** One entry per compaction, where it was first heard of: it begins, may tell its summary bit by bit, and ends. */
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

/** What still runs when its turn is over has stopped with it. */
export function settleCompactions(context: SessionContext): FactBody[] {
  return context.state.open.flatMap((entry): FactBody[] => {
    if (entry.type !== "notice" || entry.compaction?.status !== "in_progress") return [];
    const compaction = { ...entry.compaction, status: "cancelled" as const };
    return [{ type: "session:update", entry: { ...entry, ...compactionWords("cancelled"), compaction } }];
  });
}

/** A change of mode changes what the agent may do from here on, so the record says where it was. */
export function noteModeChange(context: SessionContext, options: readonly ConfigOption[]): FactBody[] {
  const before = modeOf(context.state.config.options);
  const after = modeOf(options);
  const hasTalk = context.state.open.length > 0 || context.lastSettled !== null;
  if (!before || !after || !hasTalk || before.currentValue === after.currentValue) return [];
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
