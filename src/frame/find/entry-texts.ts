import { toolLine } from "../../presentation/tool-line.ts";
import { commandOf } from "../../protocol/command-of.ts";
import type { Entry, Part, ToolCallEntry } from "../../protocol/entry.ts";
import type { BlockNode } from "../../ui/markdown/markdown-node.ts";
import { parseMarkdown } from "../../ui/markdown/parse-blocks.ts";
import { plainText } from "../../ui/markdown/plain-text.ts";
import { ansiSpans } from "../../ui/output/ansi-spans.ts";

/** The texts of an entry as they can be seen once it is open, one for each piece that stands apart. */
export function entryTexts(entry: Entry, directory: string): string[] {
  switch (entry.type) {
    case "user":
      return [entry.content, ...partTexts(entry.attachments)];
    case "assistant":
      return [...markdownTexts(entry.content), ...partTexts(entry.parts)];
    case "thinking":
      return markdownTexts(entry.content);
    case "tool-call":
      return toolTexts(entry, directory);
    case "plan":
      return entry.items.map(({ content }) => content);
    case "notice":
      return [entry.content, ...(entry.details === undefined ? [] : [entry.details])];
    default:
      return entry satisfies never;
  }
}

/** All of an entry's source, unread: a cheap look before the dear one. */
export function entrySource(entry: Entry): string {
  const rest = entry.type === "plan" ? entry.items.map(({ content }) => content).join("\n") : "";
  if (entry.type === "tool-call") return toolSource(entry);
  const parts = entry.type === "user" ? entry.attachments : entry.type === "assistant" ? entry.parts : undefined;
  const details = entry.type === "notice" ? (entry.details ?? "") : "";
  return [entry.content, rest, details, ...partTexts(parts)].join("\n");
}

function toolSource(entry: ToolCallEntry): string {
  const { name, content, result = "", error = "", input, locations = [] } = entry;
  const places = locations.map(({ path }) => path);
  const given = input === undefined ? "" : (commandOf(entry.input) ?? JSON.stringify(input));
  return [name, content, result, error, given, ...places, ...partTexts(entry.parts)].join("\n");
}

function toolTexts(entry: ToolCallEntry, directory: string): string[] {
  const { name, target } = toolLine(entry, directory);
  const hasDiff = entry.parts?.some(({ type }) => type === "diff") ?? false;
  const command = commandOf(entry.input);
  const given = command ?? (entry.input === undefined || hasDiff ? "" : JSON.stringify(entry.input, null, 2));
  const printed = entry.result ?? textParts(entry.parts) ?? entry.content;
  const error = entry.error === undefined || printed.includes(entry.error.trim()) ? "" : entry.error;
  const places = (entry.locations ?? []).map(({ path, line }) => (line === undefined ? path : `${path}:${line}`));
  const output = ansiSpans(printed)
    .map(({ text }) => text)
    .join("");
  return [`${name} ${target}`, given, ...shapedTexts(entry.parts), output, error, ...places].filter(
    (text) => text !== "",
  );
}

function textParts(parts: readonly Part[] | undefined): string | undefined {
  const texts = (parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function shapedTexts(parts: readonly Part[] | undefined): string[] {
  return partTexts(parts?.filter(({ type }) => type !== "text"));
}

function partTexts(parts: readonly Part[] | undefined): string[] {
  return (parts ?? []).flatMap((part): string[] => {
    if (part.type === "text") return part.truncated === undefined ? [] : [part.text];
    if (part.type === "diff") return diffTexts(part.oldText ?? "", part.newText);
    if (part.type === "link") return [part.title ?? part.name];
    return part.type === "resource" && part.text !== undefined ? [part.text] : [];
  });
}

/** The lines a diff shows: all new ones, and the old ones that are gone. */
function diffTexts(oldText: string, newText: string): string[] {
  const after = newText.split("\n");
  const kept = new Set(after);
  return [...oldText.split("\n").filter((line) => !kept.has(line)), ...after];
}

function markdownTexts(source: string): string[] {
  return parseMarkdown(source).flatMap(blockTexts);
}

function blockTexts(block: BlockNode): string[] {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return [plainText(block.children)];
    case "code":
    case "html":
      return [block.text];
    case "quote":
      return block.children.flatMap(blockTexts);
    case "list":
      return block.items.flatMap(({ children }) => children.flatMap(blockTexts));
    case "table":
      return [block.header, ...block.rows].flat().map(plainText);
    case "rule":
      return [];
    default:
      return block satisfies never;
  }
}
