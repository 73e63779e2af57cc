import { codeLanguageId, codeLanguageLabel, fileLanguageId } from "../../../presentation/code-languages.ts";
import { colourLines, lineRuns, tokenLines } from "../../../presentation/coloured-lines.ts";
import { type DiffLine, diffLines, type LineDiff } from "../../../presentation/line-diff.ts";
import { type CodeToken, tokenizeCode } from "../../../presentation/tokenize-code.ts";
import { relativePaths } from "../../../presentation/tool-line.ts";
import type { Part } from "../../../protocol/entry.ts";

const NAMED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: no document may hold them
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Safe as text and inside a quoted attribute; characters that no document may contain are dropped. */
export function escapeHtml(text: string): string {
  return text.replace(CONTROLS, "").replace(/[&<>"']/g, (sign) => NAMED[sign] ?? "");
}

/** Longer code stays plain, and so does code with longer lines: grammars need quadratic time for text that is not code. */
const COLOURED_CHARS_MAX = 4_000;
const COLOURED_LINE_CHARS_MAX = 200;
/** Highlighting may take this much time per document; the rest stays plain. */
const COLOURING_MS_MAX = 1_000;
/** Longer texts are shown as all old, then all new. */
const COMPARED_CHARS_MAX = 200_000;
const NO_EDITS = 0;
const DIFF_TAGS = { added: "ins", removed: "del", same: "span" } as const;
const SIGN_OF = { added: "+", removed: "-", same: " " } as const;

/** The state of writing a document: the session's directory, and the time spent on highlighting. */
export class PageWriting {
  readonly directory: string;
  readonly #now: () => number;
  #spentMs = 0;

  constructor(directory: string, now: () => number) {
    this.directory = directory;
    this.#now = now;
  }

  tokens(code: string, language: string | null): readonly CodeToken[] {
    const isShort =
      code.length <= COLOURED_CHARS_MAX && code.split("\n").every((line) => line.length <= COLOURED_LINE_CHARS_MAX);
    if (language === null || !isShort || this.#spentMs >= COLOURING_MS_MAX) return [{ text: code, className: "" }];
    const startMs = this.#now();
    const tokens = tokenizeCode(code, language);
    this.#spentMs += this.#now() - startMs;
    return tokens;
  }
}

/** A code block under the name of its language, highlighted if the language is known. */
export function htmlCode(code: string, fence: string, writing: PageWriting): string {
  const language = codeLanguageId(fence);
  const label = fence === "" ? "" : `<figcaption>${escapeHtml(codeLanguageLabel(fence))}</figcaption>`;
  return `<figure class="code">${label}<pre><code>${coloured(code, language, writing)}</code></pre></figure>\n`;
}

/** Highlighted code: text in spans, without markup from the text itself. */
export function coloured(code: string, language: string | null, writing: PageWriting): string {
  return writing.tokens(code, language).map(span).join("");
}

/** A file change as on the page: changes with context, long unchanged runs only counted. */
export function htmlDiff(
  { path, oldText, newText, firstLine = 1 }: Extract<Part, { type: "diff" }>,
  writing: PageWriting,
): string {
  const diff = compare(oldText, newText, firstLine);
  const language = fileLanguageId(path);
  const texts = { before: writing.tokens(oldText ?? "", language), after: writing.tokens(newText, language) };
  const { rows } = colourLines(diff, {
    before: tokenLines(texts.before),
    after: tokenLines(texts.after),
    firstLine,
  });
  const lines = rows.map((row) =>
    row.kind === "fold" ? `<span class="fold">${row.lines.length} unchanged lines</span>` : htmlLine(row),
  );
  const head = `<code>${escapeHtml(relativePaths(path, writing.directory))}</code> ${changedCounts(diff)}`;
  return `<figure class="diff"><figcaption>${head}</figcaption><pre>${lines.join("")}</pre></figure>\n`;
}

export function countChanged(diffs: readonly Extract<Part, { type: "diff" }>[]): string {
  const counts = diffs.map(({ oldText, newText, firstLine }) => compare(oldText, newText, firstLine));
  const added = counts.reduce((sum, one) => sum + one.added, 0);
  return changedCounts({ added, removed: counts.reduce((sum, one) => sum + one.removed, 0) });
}

function compare(oldText: string | null, newText: string, firstLine?: number): LineDiff {
  const isLong = (oldText?.length ?? 0) + newText.length > COMPARED_CHARS_MAX;
  return isLong ? diffLines(oldText, newText, firstLine, NO_EDITS) : diffLines(oldText, newText, firstLine);
}

function changedCounts({ added, removed }: Pick<LineDiff, "added" | "removed">): string {
  const words = (count: number) => count.toLocaleString("en");
  return `<span class="stat-add">+${words(added)}</span> <span class="stat-del">−${words(removed)}</span>`;
}

function htmlLine(line: DiffLine): string {
  const tag = DIFF_TAGS[line.kind];
  const runs = lineRuns(line).map(({ text, className, isChanged }) =>
    span({ text, className: isChanged ? `${className} changed`.trim() : className }),
  );
  return `<${tag}>${SIGN_OF[line.kind]} ${runs.join("")}</${tag}>`;
}

function span({ text, className }: CodeToken): string {
  return className === "" ? escapeHtml(text) : `<span class="${escapeHtml(className)}">${escapeHtml(text)}</span>`;
}
