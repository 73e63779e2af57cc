import type { Entry, ToolCallEntry } from "../../protocol/entry.ts";
import { positionOfEntry } from "../../protocol/entry-index.ts";
import type { FactBody } from "../../protocol/facts.ts";
import type { EntryId } from "../../protocol/ids.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import { shortenEntry, shortenParts, type WholeOutput } from "../../protocol/shorten-entry.ts";
import { extend, SHOWN_CHARS_MAX } from "../../protocol/shown-text.ts";

export interface Taken {
  readonly fact: FactBody;
  readonly outputs: readonly WholeOutput[];
}

/** Output that is too long for a fact is stored separately, once; the fact has its two ends. Pure. */
export function offloadOutput(state: SessionState, fact: FactBody, settled: (entryId: EntryId) => Entry | null): Taken {
  switch (fact.type) {
    case "session:update": {
      const { entry, outputs } = shortenEntry(fact.entry);
      return { fact: entry === fact.entry ? fact : { ...fact, entry }, outputs };
    }
    case "session:chunk": {
      if (fact.field !== "result") return { fact, outputs: [] };
      const open = state.open[positionOfEntry(state.open, fact.entryId)];
      const known = open ?? settled(fact.entryId);
      return known?.type === "tool-call" ? grow(known, fact, !open) : { fact, outputs: [] };
    }
    case "permission:request": {
      // The call's own entry has them complete; the request shows what fits.
      const { parts = [] } = fact.toolCall;
      const short = shortenParts(parts);
      if (short.cut.length === 0) return { fact, outputs: [] };
      return { fact: { ...fact, toolCall: { ...fact.toolCall, parts: short.parts } }, outputs: [] };
    }
    default:
      return { fact, outputs: [] };
  }
}

/** The first piece past the limit moves everything before it, too; later ones are only appended. */
function grow(known: ToolCallEntry, fact: Extract<FactBody, { type: "session:chunk" }>, isLate: boolean): Taken {
  const { entryId, result = "", truncated: before } = known;
  const { text, truncated } = extend({ text: result, truncated: before }, fact.content);
  if (!truncated) return { fact, outputs: [] };
  const output: WholeOutput = before
    ? { entryId, part: null, start: before.totalChars, text: fact.content }
    : { entryId, part: null, start: 0, text: result + fact.content };
  if (fact.content.length <= SHOWN_CHARS_MAX) return { fact, outputs: [output] };
  const entry = { ...known, result: text, truncated };
  return { fact: { type: "session:update", entry, ...(isLate && { late: true }) }, outputs: [output] };
}
