import type { Entry, Part } from "./entry.ts";
import type { EntryId } from "./ids.ts";
import { cutAt, SHOWN_CHARS_MAX, shorten } from "./shown-text.ts";

/** A text too long for its entry, to be stored separately. */
export interface WholeOutput {
  readonly entryId: EntryId;
  /** The part it belongs to, as JSON; null for the tool call's own output. */
  readonly part: number | null;
  /** The offset of this piece; a piece at 0 replaces the stored text. */
  readonly start: number;
  readonly text: string;
}

/** An entry as sent, and the texts removed from it. The same entry if nothing was removed. */
export function shortenEntry(entry: Entry): { readonly entry: Entry; readonly outputs: readonly WholeOutput[] } {
  if (entry.type === "assistant") return withParts(entry, entry.parts, []);
  if (entry.type !== "tool-call") return { entry, outputs: [] };
  const { entryId, result, truncated, parts } = entry;
  if (result === undefined || truncated || result.length <= SHOWN_CHARS_MAX) return withParts(entry, parts, []);
  const { text, truncated: ends } = shorten(result);
  return withParts({ ...entry, result: text, truncated: ends }, parts, [
    { entryId, part: null, start: 0, text: result },
  ]);
}

function withParts(entry: Entry, parts: readonly Part[] | undefined, outputs: readonly WholeOutput[]) {
  if (parts === undefined) return { entry, outputs };
  const short = shortenParts(parts);
  if (short.cut.length === 0) return { entry, outputs };
  const { entryId } = entry;
  const wholes = short.cut.map((part) => ({ entryId, part, start: 0, text: JSON.stringify(parts[part]) }));
  return { entry: { ...entry, parts: short.parts }, outputs: [...outputs, ...wholes] };
}

/** Images and audio are complete up to here. */
const MEDIA_CHARS_MAX = 4_000_000;
/** All parts of one entry together; those beyond show only their beginning. */
const PARTS_CHARS_MAX = 2_000_000;
const PART_CHARS_MIN = 1_000;
const CONTEXT_LINES = 20;

type Diff = Extract<Part, { type: "diff" }>;

/** Parts as they are shown; those that changed are at the places in `cut`. */
export function shortenParts(parts: readonly Part[]): { readonly parts: Part[]; readonly cut: readonly number[] } {
  const cut: number[] = [];
  let room = PARTS_CHARS_MAX;
  const shown = parts.map((part, index) => {
    const short = shortenPart(part, Math.max(PART_CHARS_MIN, Math.min(SHOWN_CHARS_MAX, room)));
    if (!isMedia(part)) room -= sizeOf(short);
    if (short !== part) cut.push(index);
    return short;
  });
  return { parts: cut.length === 0 ? [...parts] : shown, cut };
}

function shortenPart(part: Part, charsMax: number): Part {
  if (isMedia(part)) return sizeOf(part) > MEDIA_CHARS_MAX ? leftOut(part) : part;
  switch (part.type) {
    case "text":
      return part.truncated || part.text.length <= charsMax ? part : { ...part, ...cutText(part.text, charsMax) };
    case "resource":
      if (part.truncated || (part.text?.length ?? 0) <= charsMax) return part;
      return { ...part, ...cutText(part.text ?? "", charsMax) };
    case "diff":
      return part.truncated || sizeOf(part) <= charsMax ? part : shortenDiff(part, charsMax);
    default:
      return sizeOf(part) > charsMax ? leftOut(part) : part;
  }
}

function isMedia(part: Part): boolean {
  return part.type === "image" || part.type === "audio" || (part.type === "resource" && part.blob !== undefined);
}

function cutText(text: string, charsMax: number): Pick<Extract<Part, { type: "text" }>, "text" | "truncated"> {
  if (charsMax >= SHOWN_CHARS_MAX) return shorten(text);
  const head = cutAt(text, charsMax);
  return { text: `${head}…`, truncated: { totalChars: text.length, headChars: head.length, tailChars: 0 } };
}

function leftOut(part: Part): Part {
  const totalChars = sizeOf(part);
  const what = "mimeType" in part && part.mimeType !== undefined ? part.mimeType : part.type;
  const text = `[${what}, ${totalChars} characters: stored, too large to show here]`;
  return { type: "text", text, truncated: { totalChars, headChars: 0, tailChars: 0 } };
}

/** Common text at both ends is dropped first, because it is not a change. Only then the change itself is cut. */
function shortenDiff(part: Diff, charsMax: number): Part {
  const oldText = part.oldText ?? "";
  const { newText } = part;
  const start = sameStart(oldText, newText);
  const end = sameEnd(oldText, newText, start);
  const totalChars = oldText.length + newText.length;
  const before = cutAt(oldText.slice(start, oldText.length - end), charsMax / 2);
  const after = cutAt(newText.slice(start, newText.length - end), charsMax / 2);
  return {
    ...part,
    oldText: part.oldText === null ? null : before,
    newText: after,
    ...(part.firstLine !== undefined && { firstLine: part.firstLine + linesIn(newText, start) }),
    truncated: { totalChars, headChars: before.length + after.length, tailChars: 0 },
  };
}

/** Where the texts start to differ, minus some context lines. */
function sameStart(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  while (at < shorter && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  for (let line = 0; line <= CONTEXT_LINES && at > 0; line += 1) at = one.lastIndexOf("\n", at - 1);
  return Math.max(0, at === 0 ? 0 : at + 1);
}

/** How many characters at the end are equal, minus some lines. */
function sameEnd(one: string, other: string, start: number): number {
  const shorter = Math.min(one.length, other.length) - start;
  let same = 0;
  while (same < shorter && one.charCodeAt(one.length - 1 - same) === other.charCodeAt(other.length - 1 - same))
    same += 1;
  let from = one.length - same;
  for (let line = 0; line <= CONTEXT_LINES; line += 1) {
    const next = one.indexOf("\n", from);
    if (next === -1) return 0;
    from = next + 1;
  }
  return one.length - from;
}

function linesIn(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function sizeOf(part: Part): number {
  switch (part.type) {
    case "text":
      return part.text.length;
    case "diff":
      return part.newText.length + (part.oldText?.length ?? 0);
    case "image":
    case "audio":
      return part.data.length;
    case "resource":
      return (part.text?.length ?? 0) + (part.blob?.length ?? 0);
    default:
      return JSON.stringify(part).length;
  }
}
