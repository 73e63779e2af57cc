import type { SessionLog } from "../../../ports/session-log.ts";
import { type Entry, Part } from "../../../protocol/entry.ts";
import type { SessionId } from "../../../protocol/ids.ts";

/** An entry with the long texts that the store keeps apart; what was too long to be kept stays shortened and says so. */
export function wholeEntry(log: SessionLog, sessionId: SessionId, entry: Entry): Entry {
  if (entry.type !== "tool-call" && entry.type !== "assistant") return entry;
  const { entryId, parts } = entry;
  const textOf = (part: number | null): string | null =>
    log.output(sessionId, { entryId, part, from: 0, charsMax: Number.MAX_SAFE_INTEGER })?.content ?? null;
  const whole = parts?.map((part, index) =>
    "truncated" in part && part.truncated ? wholePart(part, textOf(index)) : part,
  );
  const grown = { ...entry, ...(whole && { parts: whole }) };
  if (grown.type !== "tool-call" || !grown.truncated) return grown;
  const { truncated, ...rest } = grown;
  const result = textOf(null);
  return result === null || result.length < truncated.totalChars ? grown : { ...rest, result };
}

function wholePart(part: Part, json: string | null): Part {
  if (json === null) return part;
  try {
    return Part.parse(JSON.parse(json));
  } catch (error) {
    // Kept up to the limit of one text, it is no whole part any more.
    if (error instanceof SyntaxError) return part;
    throw error;
  }
}
