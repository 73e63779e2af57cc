import { commandOf } from "../protocol/command-of.ts";
import {
  type ByKind,
  byKind,
  type ChangesEntry,
  type Entry,
  type Part,
  type ToolCallEntry,
} from "../protocol/entry.ts";
import type { Json } from "../protocol/json.ts";
import { changesMarks, leftOutWords, lineSides, STATUS_LETTERS } from "./changes-words.ts";
import { inputText, mediaSource, plainOutput, TOOL_STATUS_WORDS } from "./entry-words.ts";
import { toolLine } from "./tool-line.ts";

/**
 * Each kind of entry as text: for the search index, for find in a session, for the clipboard, for a terminal and for an
 * exported document. One table for each use; a new kind does not compile until all of them have it.
 */

const ENTRY_TIME: ByKind<[], string | null> = {
  user: ({ timestamp }) => timestamp,
  assistant: ({ timestamp }) => timestamp,
  thinking: ({ timestamp }) => timestamp ?? null,
  "tool-call": ({ startedAt, endedAt }) => startedAt ?? endedAt ?? null,
  plan: () => null,
  notice: ({ timestamp }) => timestamp ?? null,
  changes: ({ timestamp }) => timestamp,
};

/** Its time; null for a kind without one. */
export function entryTime(entry: Entry): string | null {
  return byKind(ENTRY_TIME, entry);
}

const SEARCH_TEXT: ByKind<[], string> = {
  user: ({ content, attachments = [] }) => [content, ...attachments.flatMap(searchPart)].join("\n"),
  assistant: ({ content, parts = [] }) => [content, ...parts.flatMap(searchPart)].join("\n"),
  thinking: ({ content }) => content,
  "tool-call": searchTool,
  plan: ({ content, items }) => [content, ...items.map((item) => item.content)].join("\n"),
  notice: ({ content }) => content,
  changes: ({ files }) => files.map(({ path }) => path).join("\n"),
};

/** The text that the search indexes. */
export function searchText(entry: Entry): string {
  return byKind(SEARCH_TEXT, entry);
}

const INPUT_CHARS_MAX = 6_000;
const INPUT_LEVELS_MAX = 8;
/** Fields in which agents name the file of a tool call. */
const PATH_NAMES = /^(?:abs_?|absolute_?|file_?|notebook_?|target_?)?(?:path|file|filename)$/i;

function searchTool(entry: ToolCallEntry): string {
  const { name, input, content, result = "", error = "", parts = [] } = entry;
  const given = input === undefined ? "" : valuesOf(input, 0).slice(0, INPUT_CHARS_MAX);
  // The text and its parts often overlap: known text is not repeated.
  const shown =
    result === "" ? parts.flatMap(searchPart) : parts.filter(({ type }) => type !== "text").flatMap(searchPart);
  const texts = [name, ...touchedFiles(entry), ...given.split("\n"), content, error, result, ...shown];
  return [...new Set(texts)].filter((text) => text !== "").join("\n");
}

function searchPart(part: Part): string[] {
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

/** The values of an input; the names of its fields are not searched. */
function valuesOf(input: Json, level: number): string {
  if (typeof input === "string") return input;
  if (typeof input === "number") return String(input);
  if (input === null || typeof input !== "object" || level >= INPUT_LEVELS_MAX) return "";
  return Object.values(input)
    .map((value) => valuesOf(value, level + 1))
    .filter((text) => text !== "")
    .join("\n");
}

/** Files that an entry read or changed. */
export function touchedFiles(entry: Entry): readonly string[] {
  if (entry.type !== "tool-call") return [];
  const { locations = [], parts = [], input } = entry;
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  return [
    ...locations.map(({ path }) => path),
    ...parts.flatMap((part) => (part.type === "diff" ? [part.path] : [])),
    ...given.flatMap(([name, value]) => (PATH_NAMES.test(name) && typeof value === "string" ? [value] : [])),
  ];
}

/** A piece of an entry that is separate on screen, and its format. */
export interface ShownText {
  readonly text: string;
  readonly format: "plain" | "markdown" | "ansi";
}
const plain = (text: string): ShownText => ({ text, format: "plain" });
const markdown = (text: string): ShownText => ({ text, format: "markdown" });

const SHOWN_TEXTS: ByKind<[directory: string], readonly ShownText[]> = {
  user: ({ content, attachments }) => [content, ...shownParts(attachments)].map(plain),
  assistant: ({ content, parts }) => [markdown(content), ...shownParts(parts).map(plain)],
  thinking: ({ content }) => [markdown(content)],
  "tool-call": shownTool,
  plan: ({ items }) => items.map(({ content }) => plain(content)),
  notice: ({ content, details }) => [content, ...(details === undefined ? [] : [details])].map(plain),
  changes: ({ files }) => files.map(({ path }) => plain(path)),
};

/** The texts of an entry that are visible once it is open. */
export function shownTexts(entry: Entry, directory: string): readonly ShownText[] {
  return byKind(SHOWN_TEXTS, entry, directory);
}

function shownTool(entry: ToolCallEntry, directory: string): readonly ShownText[] {
  const { name, target } = toolLine(entry, directory);
  const hasDiff = entry.parts?.some(({ type }) => type === "diff") ?? false;
  const command = commandOf(entry.input);
  const given = command ?? (entry.input === undefined || hasDiff ? "" : JSON.stringify(entry.input, null, 2));
  const printed = entry.result ?? textParts(entry.parts) ?? entry.content;
  const error = entry.error === undefined || printed.includes(entry.error.trim()) ? "" : entry.error;
  const places = (entry.locations ?? []).map(({ path, line }) => (line === undefined ? path : `${path}:${line}`));
  const shaped = shownParts(entry.parts?.filter(({ type }) => type !== "text"));
  const texts = [
    ...[`${name} ${target}`, given, ...shaped].map(plain),
    { text: printed, format: "ansi" as const },
    ...[error, ...places].map(plain),
  ];
  return texts.filter(({ text }) => text !== "");
}

function textParts(parts: readonly Part[] | undefined): string | undefined {
  const texts = (parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function shownParts(parts: readonly Part[] | undefined): string[] {
  return (parts ?? []).flatMap((part): string[] => {
    if (part.type === "text") return part.truncated === undefined ? [] : [part.text];
    if (part.type === "diff") return diffLines(part.oldText ?? "", part.newText);
    if (part.type === "link") return [part.title ?? part.name];
    return part.type === "resource" && part.text !== undefined ? [part.text] : [];
  });
}

/** The lines a diff shows: all new ones, and the old ones that are gone. */
function diffLines(oldText: string, newText: string): string[] {
  const after = newText.split("\n");
  const kept = new Set(after);
  return [...oldText.split("\n").filter((line) => !kept.has(line)), ...after];
}

const COPIED_MARKDOWN: ByKind<[directory: string], string | null> = {
  user: ({ content }) => content.trim() || null,
  assistant: ({ content }) => content.trim() || null,
  thinking: () => null,
  "tool-call": (entry, directory) => {
    const { name, target } = toolLine(entry, directory);
    return target === "" ? `- ${name}` : `- ${name} ${codeSpan(target)}`;
  },
  plan: ({ items }) => items.map(({ content, status }) => `- ${checkbox(status)} ${content}`).join("\n"),
  notice: () => null,
  changes: () => null,
};

/** An entry in a copied turn; null for entries about the conversation that are not part of it. */
export function copiedMarkdown(entry: Entry, directory: string): string | null {
  return byKind(COPIED_MARKDOWN, entry, directory);
}

/** Text with backticks needs longer fences. */
function codeSpan(text: string): string {
  const line = text.replaceAll("\n", " ");
  const mark = "`".repeat(longestTicks(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${mark}${pad}${line}${pad}${mark}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
}

function checkbox(status: string): string {
  return `[${status === "completed" ? "x" : " "}]`;
}

/** How a terminal shows foreign text: without control characters, or on one line. */
interface TerminalText {
  readonly plain: (text: string) => string;
  readonly oneLine: (text: string, columnsMax?: number | null) => string;
  readonly columns: number | null;
}

/** A turn may change hundreds of files: a terminal lists the first ones. */
const TERMINAL_FILES_MAX = 10;

const TERMINAL_TEXT: ByKind<[TerminalText], string> = {
  user: ({ content }, { plain }) => `\n> ${plain(content)}\n`,
  assistant: ({ content }, { plain }) => plain(content),
  thinking: ({ content }, { plain }) => `~ ${plain(content)}`,
  "tool-call": ({ name, status, error }, { oneLine, columns }) =>
    `* ${oneLine(name, columns)} [${status}]${error === undefined ? "" : ` ${oneLine(error)}`}`,
  plan: ({ items }, { oneLine }) =>
    items.map(({ content, status }) => `- ${checkbox(status)} ${oneLine(content)}`).join("\n"),
  notice: ({ content }, { plain }) => `! ${plain(content)}`,
  changes: ({ content, files, total }, { plain, oneLine, columns }) =>
    [
      `± ${plain(content)}`,
      ...files
        .slice(0, TERMINAL_FILES_MAX)
        .map((file) => `  ${STATUS_LETTERS[file.status]} ${oneLine(file.path, columns)}`),
      ...(total > TERMINAL_FILES_MAX ? [`  and ${total - Math.min(TERMINAL_FILES_MAX, files.length)} more`] : []),
    ].join("\n"),
};

export function terminalText(entry: Entry, terminal: TerminalText): string {
  return byKind(TERMINAL_TEXT, entry, terminal);
}

const MARKDOWN_TEXT: ByKind<[], string> = {
  user: ({ content, attachments = [] }) => blocks([content, ...attachments.map(markdownPart)]),
  assistant: ({ content, parts = [] }) => blocks([content, ...parts.map(markdownPart)]),
  thinking: ({ content }) => quote(`*Thinking*\n\n${content}`),
  "tool-call": markdownTool,
  plan: ({ items }) => blocks(["### Plan", items.map(planLine).join("\n")]),
  notice: ({ severity, content }) => quote(`**${severity === "info" ? "Note" : severity}:** ${content}`),
  changes: markdownChanges,
};

/** An entry in an exported Markdown document. */
export function markdownText(entry: Entry): string {
  return byKind(MARKDOWN_TEXT, entry);
}

function markdownChanges(entry: ChangesEntry): string {
  const { content, files, total, leftOut = [] } = entry;
  const rows = files.map((file) => {
    const sides = lineSides(file).map(({ words }) => words);
    return ["-", code(file.path), file.status, ...sides].join(" ");
  });
  const more = total > files.length ? [`- and ${total - files.length} more`] : [];
  const missing = leftOut.map(({ path, reason }) => `- ${code(path)} ${leftOutWords(reason)}`);
  return blocks([
    `*${content}*`,
    [...rows, ...more].join("\n"),
    ...changesMarks(entry).map(({ words }) => words),
    ...(missing.length > 0 ? [missing.join("\n")] : []),
  ]);
}

function markdownTool(entry: ToolCallEntry): string {
  const { name, status, input, result, error, parts = [], locations = [], permission, answered } = entry;
  const shown = parts.filter(({ type }) => type !== "text" && type !== "terminal");
  return blocks([
    `### ${oneLine(name)} (${TOOL_STATUS_WORDS[status]})`,
    locations.map(({ path, line }) => `- ${code(line === undefined ? path : `${path}:${line}`)}`).join("\n"),
    permission ? `*${permission.answer} without asking: ${oneLine(permission.why)}*` : "",
    answered ? `*${answered.answer} by ${oneLine(answered.person.name)}*` : "",
    input === undefined || isBlank(input) ? "" : fenced(inputText(input), typeof input === "string" ? "" : "json"),
    ...shown.map(markdownPart),
    result === undefined || result === "" ? "" : fenced(plainOutput(result), ""),
    error !== undefined && error !== result ? fenced(plainOutput(error), "") : "",
  ]);
}

function markdownPart(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "diff":
      return `${code(part.path)}\n\n${fenced(diffText(part), "diff")}`;
    case "image":
    case "audio": {
      const source = mediaSource(part.type, part.mimeType, part.data);
      if (source === null) return `*(${part.type}: ${oneLine(part.mimeType)})*`;
      return part.type === "image" ? `![Image](${source})` : `[Audio](${source})`;
    }
    case "link":
      return `${oneLine(part.title ?? part.name)}: ${code(part.uri)}`;
    case "resource":
      return part.text === undefined ? code(part.uri) : `${code(part.uri)}\n\n${fenced(part.text, "")}`;
    case "terminal":
      return "";
    case "unknown":
      return fenced(inputText(part.raw), "json");
    default:
      return part satisfies never;
  }
}

function diffText({ oldText, newText }: Extract<Part, { type: "diff" }>): string {
  return changedLines(oldText, newText)
    .map(({ mark, text }) => `${mark}${text}`)
    .join("\n");
}

function planLine({ content, status }: { readonly content: string; readonly status: string }): string {
  const state = status === "in_progress" ? " *(in progress)*" : "";
  return `- ${checkbox(status)} ${oneLine(content)}${state}`;
}

/** A fence that nothing inside can close. */
function fenced(text: string, language: string): string {
  const fence = "`".repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function code(text: string): string {
  const longest = longestTicks(text);
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `${ticks}${oneLine(text)}${ticks}` : `${ticks} ${oneLine(text)} ${ticks}`;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

function blocks(texts: readonly string[]): string {
  const trimmed = texts.map((text) => text.replace(/^\n+|\s+$/g, ""));
  return trimmed.filter((text) => text !== "").join("\n\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function isBlank(input: unknown): boolean {
  return input === "" || (typeof input === "object" && input !== null && Object.keys(input).length === 0);
}

const CONTEXT_LINES = 3;

interface ChangedLine {
  readonly mark: "+" | "-" | " ";
  readonly text: string;
}

/** The difference of two texts: common beginnings and ends are left out, except for some context. */
export function changedLines(oldText: string | null, newText: string): readonly ChangedLine[] {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const start = sameFromStart(before, after);
  const end = sameFromEnd(before, after, start);
  const lines = (mark: ChangedLine["mark"], texts: readonly string[]) => texts.map((text) => ({ mark, text }));
  return [
    ...lines(" ", after.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...lines("-", before.slice(start, before.length - end)),
    ...lines("+", after.slice(start, after.length - end)),
    ...lines(" ", after.slice(after.length - end, after.length - end + CONTEXT_LINES)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function sameFromStart(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

function sameFromEnd(one: readonly string[], other: readonly string[], start: number): number {
  const most = Math.min(one.length, other.length) - start;
  let count = 0;
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}
