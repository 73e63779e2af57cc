import remend, { type RemendOptions } from "remend";
import { PENDING_HREF } from "./convert-tokens.ts";

/** A last line of markers only is ambiguous: `-` may become a rule, an item, a heading or a table. */
const ONLY_MARKERS = /^[-+*=_~`#|: \t>]*$/;
const ONLY_NUMBER = /^[ \t>]*\d{1,9}[.)]?[ \t]*$/;
/** A fence with an incomplete language. */
const FENCE_LINE = /^[-+*\d.) \t>]*(?:`{3,}[^`]*|~{3,}.*)$/;
const TABLE_HEADER = /^ {0,3}\|/;
const TABLE_DELIMITER_START = /^[|:\- \t]*$/;
const UNESCAPED_PIPE = /(?<!\\)\|/g;

const DANGLING_OPENER = /(^|[\s([{"'])(?:[*_~`]{1,3}|!?\[)$/;
const TASK_START = /^\[[ xX]?\]?[ \t]*$/;
/**
 * A bracket after a word is an index and one before `^` a footnote; any other counts as a link until it proves not to
 * be one.
 */
const LINK_START = /(?:^|[^\w\])])!?\[(?!\^)[^[\]]*(?:\](?:\([^()]*)?)?$/;
const HAS_MARKER = /[*_~`]/;

const NOTHING: RemendOptions = {
  bold: false,
  boldItalic: false,
  comparisonOperators: false,
  htmlTags: false,
  images: false,
  inlineCode: false,
  inlineKatex: false,
  italic: false,
  katex: false,
  links: false,
  setextHeadings: false,
  singleTilde: false,
  strikethrough: false,
};
const LINKS: RemendOptions = { ...NOTHING, links: true, images: true };
const MARKERS: RemendOptions = {
  ...NOTHING,
  bold: true,
  boldItalic: true,
  inlineCode: true,
  italic: true,
  strikethrough: true,
};

/**
 * The growing end of a message as it will most likely continue: ambiguous markers are held back, a table is recognized
 * from its first line.
 */
export function repairBlocks(source: string): string {
  const lineStart = source.lastIndexOf("\n") + 1;
  const line = source.slice(lineStart);
  const isUndecided = ONLY_MARKERS.test(line) || ONLY_NUMBER.test(line) || FENCE_LINE.test(line);
  const shown = isUndecided ? source.slice(0, lineStart) : source;
  const header = tableHeader(shown);
  if (header === null) return shown;
  const pipes = header.text.match(UNESCAPED_PIPE)?.length ?? 0;
  const columns = /\|[ \t]*$/.test(header.text) ? pipes - 1 : pipes;
  return columns < 1 ? shown : `${shown.slice(0, header.start)}${header.text}\n${"|-".repeat(columns)}|`;
}

/** A line that starts with a pipe after a blank line, if it is the last or only a part of a delimiter row follows it. */
function tableHeader(source: string): { start: number; text: string } | null {
  const last = lineBefore(source, source.length);
  const before = last.start === 0 ? null : lineBefore(source, last.start - 1);
  const isLast = TABLE_HEADER.test(last.text) && !TABLE_DELIMITER_START.test(last.text);
  const header = isLast ? last : TABLE_DELIMITER_START.test(last.text) ? before : null;
  if (header === null || !TABLE_HEADER.test(header.text)) return null;
  const isFirst = header.start === 0 || lineBefore(source, header.start - 1).text.trim() === "";
  return isFirst ? header : null;
}

function lineBefore(source: string, end: number): { start: number; text: string } {
  const start = end === 0 ? 0 : source.lastIndexOf("\n", end - 1) + 1;
  return { start, text: source.slice(start, end) };
}

interface RepairedInline {
  readonly text: string;
  /** The appended markers. If they are visible, they closed nothing, and `plain` is the better text. */
  readonly added: string;
  readonly plain: string;
}

/** Closes the open markup of a growing inline text, so that it is rendered and not spelled out. */
export function repairInline(source: string): RepairedInline {
  const plain = TASK_START.test(source) ? "" : source.replace(DANGLING_OPENER, "$1").trimEnd();
  const linked = LINK_START.test(plain) ? withPendingAddress(plain) : plain;
  const text = HAS_MARKER.test(linked) ? remend(linked, MARKERS) : linked;
  return { text, added: text.startsWith(linked) ? text.slice(linked.length) : "", plain };
}

/** remend stops at its own placeholder and leaves the emphasis around it open, so it must not see it a second time. */
function withPendingAddress(text: string): string {
  if (text.endsWith("]")) return `${text}(${PENDING_HREF})`;
  return remend(text, LINKS).replace(/\]\(streamdown:incomplete-(?:link|image)\)$/, `](${PENDING_HREF})`);
}
