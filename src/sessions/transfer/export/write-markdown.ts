import type { Entry, Part, ToolCallEntry } from "../../../protocol/entry.ts";
import type { ExportSource } from "../export-document.ts";
import { inputText, mediaSource, plainOutput, TOOL_STATUS_WORDS, timeText } from "./entry-words.ts";

/** For reading and for pasting: what was said as it was written, tools as headings with their output in fences. */
export function* writeMarkdown({ session, exportedAt, runs }: ExportSource): Generator<string> {
  const { title, agentName, projectName, createdAt, lastActiveAt } = session;
  yield `# ${oneLine(title)}\n\n`;
  yield `- Agent: ${oneLine(agentName)}\n- Project: ${oneLine(projectName)}\n`;
  yield `- From ${timeText(createdAt)} to ${timeText(lastActiveAt)}\n- Exported ${timeText(exportedAt)}\n`;
  let speaker = "";
  for (const entries of runs()) {
    for (const entry of entries) {
      const next = entry.type === "user" ? "You" : oneLine(agentName);
      if (next !== speaker || entry.type === "user") yield `\n## ${next}\n`;
      speaker = next;
      const text = entryText(entry);
      if (text !== "") yield `\n${text}\n`;
    }
  }
}

function entryText(entry: Entry): string {
  switch (entry.type) {
    case "user":
      return blocks([entry.content, ...(entry.attachments ?? []).map(partText)]);
    case "assistant":
      return blocks([entry.content, ...(entry.parts ?? []).map(partText)]);
    case "thinking":
      return quote(`*Thinking*\n\n${entry.content}`);
    case "tool-call":
      return toolText(entry);
    case "plan":
      return blocks(["### Plan", entry.items.map(planLine).join("\n")]);
    case "notice":
      return quote(`**${entry.severity === "info" ? "Note" : entry.severity}:** ${entry.content}`);
    default:
      return entry satisfies never;
  }
}

function toolText(entry: ToolCallEntry): string {
  const { name, status, input, result, error, parts = [], locations = [], permission } = entry;
  const shown = parts.filter(({ type }) => type !== "text" && type !== "terminal");
  return blocks([
    `### ${oneLine(name)} (${TOOL_STATUS_WORDS[status]})`,
    locations.map(({ path, line }) => `- ${code(line === undefined ? path : `${path}:${line}`)}`).join("\n"),
    permission ? `*${permission.answer} without asking: ${oneLine(permission.why)}*` : "",
    input === undefined || isBlank(input) ? "" : fenced(inputText(input), typeof input === "string" ? "" : "json"),
    ...shown.map(partText),
    result === undefined || result === "" ? "" : fenced(plainOutput(result), ""),
    error !== undefined && error !== result ? fenced(plainOutput(error), "") : "",
  ]);
}

function partText(part: Part): string {
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
  return `- [${status === "completed" ? "x" : " "}] ${oneLine(content)}${state}`;
}

/** A fence that nothing inside can close. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
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

/** What changed between two texts: what they begin and end with alike is left out, but for a little around. */
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
