import type { Entry, Part, ToolCallEntry } from "../../../protocol/entry.ts";
import { changedLines } from "./changed-lines.ts";
import { inputText, TOOL_STATUS_WORDS, timeText } from "./entry-words.ts";
import { escapeHtml } from "./escape-html.ts";
import { htmlProse } from "./html-prose.ts";
import { mediaSource } from "./media-source.ts";
import { plainOutput } from "./plain-output.ts";

/** One entry as a part of the page. */
export function htmlEntry(entry: Entry): string {
  switch (entry.type) {
    case "user":
      return article(
        "user",
        `<h2>You${time(entry.timestamp)}</h2>\n${text(entry.content)}${parts(entry.attachments ?? [])}`,
      );
    case "assistant":
      return article("assistant", `${htmlProse(entry.content)}${parts(entry.parts ?? [])}`);
    case "thinking":
      return article("thinking", details("Thinking", htmlProse(entry.content)));
    case "tool-call":
      return toolCall(entry);
    case "plan":
      return article("plan", `<h3>Plan</h3>\n<ul>\n${entry.items.map(planItem).join("")}</ul>\n`);
    case "notice":
      return article(`notice ${entry.severity}`, text(entry.content));
    default:
      return entry satisfies never;
  }
}

function toolCall(entry: ToolCallEntry): string {
  const { name, status, input, result, error, locations = [], permission } = entry;
  const places = locations.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`));
  const summary = `<span class="mark">${TOOL_STATUS_WORDS[status]}</span> <span class="name">${escapeHtml(name)}</span>`;
  const body = [
    places.length > 0
      ? `<p class="places">${places.map((place) => `<code>${escapeHtml(place)}</code>`).join(" ")}</p>\n`
      : "",
    permission ? `<p class="faint">${permission.answer} without asking: ${escapeHtml(permission.why)}</p>\n` : "",
    input === undefined || isBlank(input) ? "" : `<h4>Input</h4>\n${pre(inputText(input))}`,
    parts((entry.parts ?? []).filter(({ type }) => type !== "text" && type !== "terminal")),
    result === undefined || result === "" ? "" : `<h4>Output</h4>\n${pre(plainOutput(result))}`,
    error !== undefined && error !== result ? `<h4>Error</h4>\n${pre(plainOutput(error))}` : "",
  ].join("");
  return `<article class="tool ${status}">\n${body === "" ? `<p class="summary">${summary}</p>\n` : details(summary, body, true)}</article>\n`;
}

function parts(list: readonly Part[]): string {
  return list.map(part).join("");
}

function part(one: Part): string {
  switch (one.type) {
    case "text":
      return htmlProse(one.text);
    case "diff":
      return diff(one);
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
      return `<p><code>${escapeHtml(one.uri)}</code></p>\n${one.text === undefined ? "" : pre(one.text)}`;
    case "terminal":
      return "";
    case "unknown":
      return pre(inputText(one.raw));
    default:
      return one satisfies never;
  }
}

const DIFF_TAGS = { "+": "ins", "-": "del", " ": "span" } as const;

function diff({ path, oldText, newText }: Extract<Part, { type: "diff" }>): string {
  const lines = changedLines(oldText, newText).map(({ mark, text: line }) => {
    const tag = DIFF_TAGS[mark];
    return `<${tag}>${mark} ${escapeHtml(line)}</${tag}>`;
  });
  return `<figure class="diff"><figcaption><code>${escapeHtml(path)}</code></figcaption><pre>${lines.join("")}</pre></figure>\n`;
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
