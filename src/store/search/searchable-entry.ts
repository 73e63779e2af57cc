import { stripVTControlCharacters } from "node:util";
import type { Entry, Part } from "../../protocol/entry.ts";
import type { Json } from "../../protocol/json.ts";

/** Of one entry so much is findable; what is longer keeps its beginning and its end. */
export const INDEXED_CHARS_MAX = 16_000;
const INDEXED_END_CHARS = 4_000;
const INPUT_CHARS_MAX = 6_000;
const FILES_MAX = 200;
const PATH_CHARS_MAX = 4_096;
const INPUT_LEVELS_MAX = 8;
/** Under these names agents say which file a tool works on. */
const PATH_NAMES = /^(?:abs_?|absolute_?|file_?|notebook_?|target_?)?(?:path|file|filename)$/i;
/** No text is told from our marks around a hit by these, and none is cut short by a zero. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are meant
const UNFIT = /[\u0000-\u0002]/g;

export interface SearchableEntry {
  readonly text: string;
  readonly at: string | null;
  /** Files the entry says it read or changed. */
  readonly files: readonly string[];
}

/** What of an entry can be found. Pure. */
export function searchableEntry(entry: Entry): SearchableEntry {
  return { text: fitText(textOf(entry)), at: timeOf(entry), files: filesOf(entry) };
}

export function fitText(text: string): string {
  // A word in colour is found by its letters, not by those of its colour.
  const fit = stripVTControlCharacters(text).replace(UNFIT, " ");
  if (fit.length <= INDEXED_CHARS_MAX) return fit.toWellFormed();
  const start = fit.slice(0, INDEXED_CHARS_MAX - INDEXED_END_CHARS);
  return `${start}\n…\n${fit.slice(-INDEXED_END_CHARS)}`.toWellFormed();
}

function textOf(entry: Entry): string {
  switch (entry.type) {
    case "user":
      return [entry.content, ...(entry.attachments ?? []).flatMap(partText)].join("\n");
    case "assistant":
      return [entry.content, ...(entry.parts ?? []).flatMap(partText)].join("\n");
    case "thinking":
    case "notice":
      return entry.content;
    case "plan":
      return [entry.content, ...entry.items.map(({ content }) => content)].join("\n");
    case "tool-call": {
      const { name, input, content, result = "", error = "", parts = [] } = entry;
      const said = input === undefined ? "" : inputText(input, 0).slice(0, INPUT_CHARS_MAX);
      // The text form and its parts often say the same: what is known already is not said again.
      const shown =
        result === "" ? parts.flatMap(partText) : parts.filter(({ type }) => type !== "text").flatMap(partText);
      const texts = [name, ...filesOf(entry), ...said.split("\n"), content, error, result, ...shown];
      return [...new Set(texts)].filter((text) => text !== "").join("\n");
    }
    default:
      return entry satisfies never;
  }
}

function partText(part: Part): string[] {
  switch (part.type) {
    case "text":
      return [part.text];
    case "diff":
      return [part.path, part.newText];
    case "link":
      return [part.name, part.title ?? "", part.uri];
    case "resource":
      return [part.uri, part.text ?? ""];
    case "terminal":
    case "image":
    case "audio":
    case "unknown":
      return [];
    default:
      return part satisfies never;
  }
}

/** The values; the names of fields are the agent's grammar, not its words. */
function inputText(input: Json, level: number): string {
  if (typeof input === "string") return input;
  if (typeof input === "number") return String(input);
  if (input === null || typeof input !== "object" || level >= INPUT_LEVELS_MAX) return "";
  return Object.values(input)
    .map((value) => inputText(value, level + 1))
    .filter((text) => text !== "")
    .join("\n");
}

function timeOf(entry: Entry): string | null {
  if (entry.type === "tool-call") return entry.startedAt ?? entry.endedAt ?? null;
  return entry.type === "plan" ? null : (entry.timestamp ?? null);
}

function filesOf(entry: Entry): readonly string[] {
  if (entry.type !== "tool-call") return [];
  const { locations = [], parts = [], input } = entry;
  const said = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const paths = [
    ...locations.map(({ path }) => path),
    ...parts.flatMap((part) => (part.type === "diff" ? [part.path] : [])),
    ...said.flatMap(([name, value]) => (PATH_NAMES.test(name) && typeof value === "string" ? [value] : [])),
  ];
  const fit = paths.filter((path) => path !== "" && path.length <= PATH_CHARS_MAX);
  return [...new Set(fit.map((path) => path.replace(UNFIT, " ").toWellFormed()))].slice(0, FILES_MAX);
}
