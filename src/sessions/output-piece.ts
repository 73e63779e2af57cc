import type { OutputPiece, OutputRange, SessionLog } from "../ports/session-log.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import type { Entry } from "../protocol/entry.ts";
import { OUTPUT_PIECE_CHARS_MAX } from "../protocol/limits.ts";
import type { SessionOutput } from "../protocol/server-messages.ts";

/** A piece of a text too long for its entry; an entry of before those were taken out has it inside. */
export function outputOf(
  log: SessionLog,
  open: readonly Entry[],
  command: Extract<ClientMessage, { type: "session:output" }>,
): SessionOutput | null {
  const { sessionId, entryId, part, from = 0, limit = OUTPUT_PIECE_CHARS_MAX } = command;
  const range = { entryId, part: part ?? null, from, charsMax: limit };
  const entry = open.find((one) => one.entryId === entryId) ?? log.settledEntry(sessionId, entryId);
  const piece = log.output(sessionId, range) ?? pieceOf(entry, range);
  return piece && { type: "session:output", sessionId, entryId, ...(part !== undefined && { part }), from, ...piece };
}

/** A piece of what an entry has inside itself; null when there is nothing of that kind in it. */
function pieceOf(entry: Entry | null, { part, from, charsMax }: OutputRange): OutputPiece | null {
  const whole = entry && (part === null ? resultOf(entry) : partOf(entry, part));
  return whole === null ? null : { content: whole.slice(from, from + charsMax), totalChars: whole.length };
}

function resultOf(entry: Entry): string | null {
  return entry.type === "tool-call" ? (entry.result ?? null) : null;
}

function partOf(entry: Entry, index: number): string | null {
  const part = entry.type === "tool-call" || entry.type === "assistant" ? entry.parts?.[index] : undefined;
  return part === undefined ? null : JSON.stringify(part);
}
