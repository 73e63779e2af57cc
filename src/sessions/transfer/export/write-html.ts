import { visibleOneLine } from "../../../lib/visible-text.ts";
import { changesMarks, leftOutWords, lineSides } from "../../../presentation/changes-words.ts";
import { fileLanguageId } from "../../../presentation/code-languages.ts";
import { inputText, mediaSource, plainOutput, TOOL_STATUS_WORDS, timeText } from "../../../presentation/entry-words.ts";
import { durationWords, ownTimeMs, relativePaths, toolLine } from "../../../presentation/tool-line.ts";
import { commandOf } from "../../../protocol/command-of.ts";
import type { ChangesEntry, Entry, Part, ToolCallEntry, ToolLocation } from "../../../protocol/entry.ts";
import type { Json } from "../../../protocol/json.ts";
import type { ExportSource } from "../export-document.ts";
import { coloured, countChanged, escapeHtml, htmlDiff, PageWriting } from "./html-code.ts";
import { htmlProse } from "./html-prose.ts";

/** Also inside the file: opened from a disk, it still runs nothing and requests nothing. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'";

/** A self-contained page: no script, no other file, and all content is text. */
export async function* writeHtml({ session, directory, now, exportedAt, runs }: ExportSource): AsyncGenerator<string> {
  const { agentName, projectName, createdAt, lastActiveAt } = session;
  const writing = new PageWriting(directory, now);
  const title = escapeHtml(session.title);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${escapeHtml(agentName)} in ${escapeHtml(projectName)}, ${timeText(createdAt)} to ${timeText(lastActiveAt)}</p>
</header>
<main>
`;
  for await (const entries of runs()) for (const entry of entries) yield htmlEntry(entry, writing);
  yield `</main>
<footer>Exported from Liminal Builder on ${timeText(exportedAt)}.</footer>
</body>
</html>
`;
}

/** The complete style of an exported page: it loads nothing. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c1b22, #e7e6ec); --faint: light-dark(#615f6b, #a09eab);
  --back: light-dark(#fff, #131217); --raised: light-dark(#f5f4f8, #1c1b22); --line: light-dark(#dddbe4, #34323d);
  --accent: light-dark(#5b45d6, #a99bff); --good: light-dark(#146c3a, #6fd39a); --bad: light-dark(#b3261e, #ff8d85);
  --added: light-dark(#e3f6e9, #12301f); --removed: light-dark(#fdeaea, #3a1718);
  --added-word: light-dark(#b8e8c6, #1f5a38); --removed-word: light-dark(#f8c9c9, #6b2527);
  --syn-keyword: light-dark(#7539c4, #bb9af7); --syn-string: light-dark(#3b640f, #9ece6a);
  --syn-number: light-dark(#934200, #ff9e64); --syn-title: light-dark(#1d51ba, #82a8f8);
  --syn-type: light-dark(#07617a, #2ac3de); --syn-attr: light-dark(#0b6458, #73daca);
  --syn-comment: light-dark(#5a6186, #8690b8); --syn-punctuation: light-dark(#3f4670, #a9b4dd); }
.hljs-keyword { color: var(--syn-keyword); }
.hljs-string { color: var(--syn-string); }
.hljs-number { color: var(--syn-number); }
.hljs-title { color: var(--syn-title); }
.hljs-type { color: var(--syn-type); }
.hljs-attr { color: var(--syn-attr); }
.hljs-comment { color: var(--syn-comment); }
.hljs-punctuation { color: var(--syn-punctuation); }
.hljs-addition, .stat-add { color: var(--good); }
.hljs-deletion, .stat-del { color: var(--bad); }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1.25rem 4rem; background: var(--back); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
body > * { max-width: 46rem; margin-inline: auto; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; line-height: 1.25; text-wrap: balance; unicode-bidi: isolate; }
h2 { margin: 0 0 .4rem; font-size: .95rem; }
h3, h4, h5, h6 { margin: 1.25rem 0 .4rem; font-size: 1rem; }
.tool h4 { margin: .75rem 0 .25rem; font-size: .75rem; font-weight: 600; color: var(--faint); }
header { padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
header p, .faint, time { color: var(--faint); }
header p { margin: 0; font-size: .875rem; }
time { margin-left: .5rem; font-size: .8125rem; font-weight: 400; }
main { display: block; }
article { margin-block: 1rem; unicode-bidi: isolate; }
article > :first-child { margin-top: 0; }
article > :last-child { margin-bottom: 0; }
.user { margin-top: 2.25rem; padding: .9rem 1.1rem; background: var(--raised); border-radius: .6rem; }
.plain { margin: 0; white-space: pre-wrap; }
.notice { padding: .6rem .9rem; border-left: 3px solid var(--line); color: var(--faint); }
.notice.warning, .notice.error { border-color: var(--bad); }
.changes ul { margin: .4rem 0; }
.thinking { color: var(--faint); }
details, .summary { font-size: .9375rem; }
.summary { margin: 0; }
summary { cursor: pointer; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
.tool { padding-left: .9rem; border-left: 2px solid var(--line); }
.tool summary, .tool .summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .5rem; }
.tool summary { position: relative; padding-left: 1.1rem; }
.tool summary::before { content: "▸"; position: absolute; left: 0; color: var(--faint); }
.tool [open] > summary::before { content: "▾"; }
.tool summary::-webkit-details-marker { display: none; }
.tool .target { flex: 1 1 0; min-width: 8rem; color: var(--faint); font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .8125rem; }
.tool .end { display: inline-flex; gap: .5rem; margin-left: auto; color: var(--faint); font-size: .8125rem; white-space: nowrap; }
.tag { padding: 0 .35rem; border: 1px solid var(--line); border-radius: .3rem; }
.complete .mark { color: var(--good); }
.tool.error .mark { color: var(--bad); }
pre, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .85em; }
pre { margin: .5rem 0; padding: .75rem .9rem; background: var(--raised); border-radius: .4rem; white-space: pre-wrap; line-height: 1.5; }
code { padding: .1em .3em; background: var(--raised); border-radius: .25rem; }
pre code { padding: 0; background: none; font-size: 1em; }
.user code, .user pre { background: var(--back); }
figure { margin: .5rem 0; }
figcaption { font-size: .875rem; }
.code { background: var(--raised); border-radius: .4rem; }
.code figcaption { padding: .35rem .9rem 0; color: var(--faint); font-size: .75rem; }
.code pre { margin: 0; }
.fold { color: var(--faint); font-size: .8em; }
.diff ins .changed { background: var(--added-word); }
.diff del .changed { background: var(--removed-word); }
.diff pre { padding-inline: 0; }
.diff pre > * { display: block; min-height: 1.5em; padding-inline: .9rem; text-decoration: none; }
.diff ins { background: var(--added); }
.diff del { background: var(--removed); }
.box { font-family: system-ui, sans-serif; }
li:has(> .box) { list-style: none; margin-left: -1.25rem; }
.plan li:has(> .box) { margin-left: 0; }
.plan ul { padding-left: 0; list-style: none; }
blockquote { margin: .75rem 0; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--faint); }
:is(blockquote, ul, ol) :is(blockquote, ul, ol) :is(blockquote, ul, ol) :is(blockquote, ul, ol) :is(blockquote, ul, ol) :is(blockquote, ul, ol) {
  padding-left: 0; border-left: 0; list-style-position: inside; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { overflow-wrap: break-word; padding: .35rem .7rem; border: 1px solid var(--line); text-align: left; }
.right { text-align: right; }
.center { text-align: center; }
img { max-width: 100%; border-radius: .4rem; }
a { color: var(--accent); }
hr { border: 0; border-top: 1px solid var(--line); }
footer { margin-top: 3rem; color: var(--faint); font-size: .8125rem; }
@media print {
  :root { color-scheme: light; }
  body { padding: 0; font-size: 11pt; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .user, pre, figure, img, tr { break-inside: avoid-page; }
  .user, pre, .diff pre, .code { border: 1px solid var(--line); }
  .code pre { border: 0; }
  summary { list-style: none; }
  summary::-webkit-details-marker { display: none; }
  .tool summary { padding-left: 0; }
  .tool summary::before, .tool [open] > summary::before { content: none; }
  summary, h2, h3, h4, h5, h6, figcaption { break-after: avoid-page; }
  .diff ins, .diff del, .diff .changed { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  audio { display: none; }
  p, li { orphans: 3; widows: 3; }
}
`;

/** For calls that changed more files, lines are not counted. */
const COUNTED_DIFFS_MAX = 20;
/** Shorter durations are not shown. */
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
    case "changes":
      return changes(entry);
    default:
      return entry satisfies never;
  }
}

/** The line at the end of a turn; it opens to the files, and to what the checkpoint does not hold. */
function changes(entry: ChangesEntry): string {
  const { content, files, total, leftOut = [] } = entry;
  const rows = files.map((file) => {
    const sides = lineSides(file).map(({ kind, words }) => ` <span class="stat-${kind}">${words}</span>`);
    return `<li><code>${escapeHtml(visibleOneLine(file.path))}</code> <span class="faint">${file.status}</span>${sides.join("")}</li>\n`;
  });
  const more =
    total > files.length
      ? `<li><span class="faint">and ${(total - files.length).toLocaleString("en")} more</span></li>\n`
      : "";
  const missing = leftOut.map(
    ({ path, reason }) =>
      `<li><code>${escapeHtml(visibleOneLine(path))}</code> <span class="faint">${leftOutWords(reason)}</span></li>\n`,
  );
  const notes = changesMarks(entry).map(({ words }) => `<p class="faint">${escapeHtml(words)}</p>\n`);
  const list = `<ul>\n${rows.join("")}${more}</ul>\n${notes.join("")}${missing.length > 0 ? `<ul>\n${missing.join("")}</ul>\n` : ""}`;
  return article("changes", details(content, list));
}

/** One line as on the page: name, target and status; it expands to input and output. */
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
  const isPathShown = diffs.some(({ path }) => path === locations[0]?.path);
  const places = locations.length > 1 || !isPathShown ? locations : [];
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

/** A diff replaces the input. */
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

/** `summary` is HTML if `isMarkup`, otherwise text. */
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
