import { fileLanguageId } from "../../../presentation/code-languages.ts";
import { inputText, mediaSource, plainOutput, TOOL_STATUS_WORDS, timeText } from "../../../presentation/entry-words.ts";
import { durationWords, ownTimeMs, relativePaths, toolLine } from "../../../presentation/tool-line.ts";
import { commandOf } from "../../../protocol/command-of.ts";
import type { Entry, Part, ToolCallEntry, ToolLocation } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import { escapeHtml } from "./escape-html.ts";
import { coloured, countChanged, htmlDiff, type PageWriting } from "./html-code.ts";
import { htmlProse } from "./html-prose.ts";

/** A call that changed more files is not counted line by line. */
const COUNTED_DIFFS_MAX = 20;
/** What took less was done at once. */
const WORTH_SAYING_MS = 50;

/** One entry as a part of the page. */
export function htmlEntry(entry: Entry, writing: PageWriting): string {
  switch (entry.type) {
    case "user":
      return article(
        "user",
        `<h2>You${time(entry.timestamp)}</h2>\n${text(entry.content)}${parts(entry.attachments ?? [], writing)}`,
      );
    case "assistant":
      return article("assistant", `${htmlProse(entry.content, writing)}${parts(entry.parts ?? [], writing)}`);
    case "thinking":
      return article("thinking", details("Thinking", htmlProse(entry.content, writing)));
    case "tool-call":
      return toolCall(entry, writing);
    case "plan":
      return article("plan", `<h3>Plan</h3>\n<ul>\n${entry.items.map(planItem).join("")}</ul>\n`);
    case "notice":
      return article(`notice ${entry.severity}`, text(entry.content));
    default:
      return entry satisfies never;
  }
}

/** One line as in the page: what, on what, and how it went; it opens to what it was given and what came back. */
function toolCall(entry: ToolCallEntry, writing: PageWriting): string {
  const { status, input, result, error, locations = [], permission } = entry;
  const { name, target } = toolLine(entry, writing.directory);
  const shaped = (entry.parts ?? []).filter(({ type }) => type !== "text" && type !== "terminal");
  const diffs = shaped.filter((one) => one.type === "diff");
  const tookMs = ownTimeMs(entry) ?? 0;
  const end = [
    ...(permission ? [`<span class="tag">${permission.answer} by rule</span>`] : []),
    ...(status === "complete" && diffs.length > 0 && diffs.length <= COUNTED_DIFFS_MAX ? [countChanged(diffs)] : []),
    `<span class="mark">${TOOL_STATUS_WORDS[status]}</span>`,
    ...(tookMs < WORTH_SAYING_MS ? [] : [`<span class="took">${durationWords(tookMs)}</span>`]),
  ];
  const summary = [
    `<span class="name">${escapeHtml(name)}</span>`,
    ...(target === "" ? [] : [`<span class="target">${escapeHtml(target)}</span>`]),
    `<span class="end">${end.join(" ")}</span>`,
  ].join(" ");
  const command = commandOf(input);
  const isPlaceSaid = diffs.some(({ path }) => path === locations[0]?.path);
  const places = locations.length > 1 || !isPlaceSaid ? locations : [];
  const body = [
    permission ? `<p class="faint">${permission.answer} without asking: ${escapeHtml(permission.why)}</p>\n` : "",
    command === null ? given(input, diffs.length > 0, writing) : `<pre>${coloured(command, "bash", writing)}</pre>\n`,
    parts(shaped, writing),
    result === undefined || result === "" ? "" : `<h4>Output</h4>\n${pre(plainOutput(result))}`,
    error !== undefined && error !== result ? `<h4>Error</h4>\n${pre(plainOutput(error))}` : "",
    places.length > 0 ? `<p class="places">${places.map((one) => place(one, writing)).join(" ")}</p>\n` : "",
  ].join("");
  return `<article class="tool ${status}">\n${body === "" ? `<p class="summary">${summary}</p>\n` : details(summary, body, true)}</article>\n`;
}

/** A change says what it was given. */
function given(input: Json | undefined, hasDiff: boolean, writing: PageWriting): string {
  if (input === undefined || isBlank(input) || hasDiff) return "";
  const isText = typeof input === "string";
  return `<h4>Input</h4>\n<pre>${coloured(inputText(input), isText ? null : "json", writing)}</pre>\n`;
}

function place({ path, line }: ToolLocation, writing: PageWriting): string {
  const shown = relativePaths(path, writing.directory);
  return `<code>${escapeHtml(line === undefined ? shown : `${shown}:${line}`)}</code>`;
}

function parts(list: readonly Part[], writing: PageWriting): string {
  return list.map((one) => part(one, writing)).join("");
}

function part(one: Part, writing: PageWriting): string {
  switch (one.type) {
    case "text":
      return htmlProse(one.text, writing);
    case "diff":
      return htmlDiff(one, writing);
    case "image":
    case "audio": {
      const source = mediaSource(one.type, one.mimeType, one.data);
      if (source === null) return `<p class="faint">${one.type}: ${escapeHtml(one.mimeType)}</p>\n`;
      return one.type === "image"
        ? `<p><img alt="Image" src="${source}"></p>\n`
        : `<p><audio controls src="${source}"></audio></p>\n`;
    }
    case "link":
      return `<p>${escapeHtml(one.title ?? one.name)} <code>${escapeHtml(one.uri)}</code></p>\n`;
    case "resource":
      return `<p><code>${escapeHtml(one.uri)}</code></p>\n${one.text === undefined ? "" : `<pre>${coloured(one.text, fileLanguageId(one.uri), writing)}</pre>\n`}`;
    case "terminal":
      return "";
    case "unknown":
      return pre(inputText(one.raw));
    default:
      return one satisfies never;
  }
}

function planItem({ content, status }: { readonly content: string; readonly status: string }): string {
  const mark = status === "completed" ? "☑" : status === "in_progress" ? "◐" : "☐";
  return `<li><span class="box">${mark}</span> ${escapeHtml(content)}</li>\n`;
}

function article(kind: string, body: string): string {
  return `<article class="${kind}">\n${body}</article>\n`;
}

/** `summary` is HTML when it `isMarkup`, else text. */
function details(summary: string, body: string, isMarkup = false): string {
  return `<details><summary>${isMarkup ? summary : escapeHtml(summary)}</summary>\n${body}</details>\n`;
}

function text(content: string): string {
  return content === "" ? "" : `<p class="plain">${escapeHtml(content)}</p>\n`;
}

function pre(content: string): string {
  return `<pre>${escapeHtml(content)}</pre>\n`;
}

function time(timestamp: string): string {
  return ` <time datetime="${escapeHtml(timestamp)}">${escapeHtml(timeText(timestamp))}</time>`;
}

function isBlank(input: unknown): boolean {
  return input === "" || (typeof input === "object" && input !== null && Object.keys(input).length === 0);
}
