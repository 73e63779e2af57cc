import type { MarkedToken, Token } from "marked";
import { convertBlocks, convertInlines } from "./convert-tokens.ts";
import { isDump, type LexedBlocks, LinkDefinitions, lexBlocks } from "./lex-blocks.ts";
import { type BlockNode, type CodeNode, type InlineNode, plainText } from "./markdown-node.ts";
import { parseBlocks } from "./parse-blocks.ts";
import { repairBlocks, repairInline } from "./repair-tail.ts";

/**
 * Limit of open text in several blocks that is parsed again with each update; of a longer one the first blocks are
 * settled.
 */
const OPEN_BLOCK_CHARS_MAX = 16_384;
/** Limit of settled text that one update parses again because its links have become known. Beyond it, they stay text. */
const REWRITE_CHARS_MAX = 65_536;
const LEADING_BLANK_LINES = /^(?:[ \t]*\n)+/;

/** The changes since the last update. Settled and open blocks together follow the blocks settled earlier. */
export interface StreamUpdate {
  /** No further text can change these, except for links whose definition follows. */
  readonly settled: readonly BlockNode[];
  /** These replace the open blocks of the last update. */
  readonly open: readonly BlockNode[];
  /** By how much the open code block has grown; the node itself stays the same object. */
  readonly codeGrowth: string;
  /** Blocks settled earlier whose links have become known. */
  readonly rewritten: readonly RewrittenBlock[];
}

interface RewrittenBlock {
  readonly index: number;
  readonly before: BlockNode;
  readonly after: BlockNode;
}

/** Settled text with undefined labels; all other settled text is dropped. */
interface AwaitingSegment {
  readonly source: string;
  readonly start: number;
  blocks: readonly BlockNode[];
}

interface Progress {
  readonly settled: BlockNode[];
  readonly rewritten: RewrittenBlock[];
}

/** Parses a growing message: each update reads the new text and the blocks it can still change, and nothing before. */
export class MarkdownStream {
  readonly #definitions = new LinkDefinitions();
  readonly #awaiting = new Map<string, Set<AwaitingSegment>>();
  #inlines: ReadonlyMap<string, readonly InlineNode[]> = new Map();
  #incoming = "";
  #endsInReturn = false;
  #tail = "";
  #fence: OpenFence | null = null;
  #settledCount = 0;

  append(text: string): void {
    const source = this.#endsInReturn ? `\r${text}` : text;
    this.#endsInReturn = source.endsWith("\r"); // its line feed may be in the next chunk
    const whole = this.#endsInReturn ? source.slice(0, -1) : source;
    this.#incoming += whole.includes("\r") ? whole.replace(/\r\n?/g, "\n") : whole;
  }

  /** Processes the appended text. With `hasEnded`, nothing stays open and nothing is guessed. */
  update(hasEnded: boolean): StreamUpdate {
    const progress: Progress = { settled: [], rewritten: [] };
    if (hasEnded && this.#endsInReturn) this.#incoming += "\n";
    const text = this.#incoming;
    this.#incoming = "";
    let codeGrowth = "";
    if (this.#fence === null) this.#tail += text;
    else codeGrowth = this.#feedFence(this.#fence, text, hasEnded, progress);
    const lexed = this.#settleTail(progress, hasEnded);
    this.#settledCount += progress.settled.length;
    return { ...progress, codeGrowth, open: this.#fence ? [this.#fence.node] : this.#readOpen(lexed) };
  }

  #feedFence(fence: OpenFence, text: string, hasEnded: boolean, progress: Progress): string {
    const fed = fence.feed(text);
    const isOpen = fed.rest === null && !hasEnded;
    this.#fence = isOpen ? fence : null;
    this.#tail = fed.rest ?? "";
    if (isOpen) return fed.growth;
    progress.settled.push(fence.node);
    return fed.rest === null ? fed.growth + fence.end() : fed.growth;
  }

  /** Moves certain blocks from the tail to the settled ones; returns the blocks of the tail if it has just lexed them. */
  #settleTail(progress: Progress, hasEnded: boolean): LexedBlocks | null {
    while (this.#tail !== "") {
      this.#tail = this.#tail.replace(LEADING_BLANK_LINES, "");
      const start = matchOpenFence(this.#tail);
      if (start !== null) {
        this.#fence = new OpenFence(this.#codeNode(start.opening), start.run);
        this.#feedFence(this.#fence, this.#tail.slice(start.opening.length), hasEnded, progress);
        continue;
      }
      if (hasEnded) {
        this.#settle(this.#tail.length, progress);
        return null;
      }
      const lexed = lexBlocks(this.#tail, this.#definitions);
      const length = settledLength(this.#tail, lexed.tokens) || overlongLength(this.#tail, lexed.tokens);
      if (length === 0) return lexed;
      this.#settle(length, progress);
      if (matchOpenFence(this.#tail) === null) return null;
    }
    return null;
  }

  #codeNode(opening: string): CodeNode {
    const [node] = parseBlocks(opening, this.#definitions).blocks;
    return { kind: "code", language: node?.kind === "code" ? node.language : "", text: "" };
  }

  #settle(length: number, progress: Progress): void {
    const source = this.#tail.slice(0, length);
    this.#tail = this.#tail.slice(length);
    const start = this.#settledCount + progress.settled.length;
    const { blocks, missed, defined } = parseBlocks(source, this.#definitions);
    progress.settled.push(...blocks);
    this.#await({ source, start, blocks }, missed);
    if (defined.length === 0) return;
    this.#inlines = new Map();
    const affected = new Set(defined.flatMap((label) => [...(this.#awaiting.get(label) ?? [])]));
    for (const label of defined) this.#awaiting.delete(label);
    let chars = 0;
    for (const segment of affected) {
      chars += segment.source.length;
      if (chars > REWRITE_CHARS_MAX) return;
      this.#rewrite(segment, progress);
    }
  }

  #await(segment: AwaitingSegment, missed: ReadonlySet<string>): void {
    for (const label of missed) {
      const waiting = this.#awaiting.get(label);
      if (waiting) waiting.add(segment);
      else this.#awaiting.set(label, new Set([segment]));
    }
  }

  #rewrite(segment: AwaitingSegment, { settled, rewritten }: Progress): void {
    const { blocks, missed } = parseBlocks(segment.source, this.#definitions);
    for (const [offset, after] of blocks.entries()) {
      const before = segment.blocks[offset];
      const index = segment.start + offset;
      if (index >= this.#settledCount) settled[index - this.#settledCount] = after;
      else if (before) rewritten.push({ index, before, after });
    }
    segment.blocks = blocks;
    this.#await(segment, missed);
  }

  #readOpen(known: LexedBlocks | null): BlockNode[] {
    const source = repairBlocks(this.#tail);
    if (source === "") return [];
    const lexed = known !== null && source === this.#tail ? known : lexBlocks(source, this.#definitions);
    const growing = growingSlot(source, lexed.tokens, lexed.inlineSource);
    const isCachable = lexed.scope.defined.size === 0;
    const inlines = new Map<string, readonly InlineNode[]>();
    const blocks = convertBlocks(lexed.tokens, (slot) => {
      const text = lexed.inlineSource(slot);
      if (slot === growing) return readGrowing(text, lexed);
      const nodes =
        (isCachable ? this.#inlines.get(text) : undefined) ?? convertInlines(lexed.lexInline(text, lexed.scope));
      if (isCachable) inlines.set(text, nodes);
      return nodes;
    });
    this.#inlines = inlines;
    return blocks;
  }
}

/**
 * How much of an open text is settled because of its length alone: whole blocks, without a list or quote over the
 * limit.
 */
function overlongLength(source: string, tokens: readonly Token[]): number {
  if (source.length <= OPEN_BLOCK_CHARS_MAX) return 0;
  let offset = 0;
  for (const token of tokens) {
    if (offset + token.raw.length > OPEN_BLOCK_CHARS_MAX || !source.startsWith(token.raw, offset)) break;
    offset += token.raw.length;
  }
  return offset;
}

function readGrowing(source: string, lexed: LexedBlocks): readonly InlineNode[] {
  if (isDump(source)) return convertInlines(lexed.lexInline(source, lexed.scope));
  const { text, added, plain } = repairInline(source);
  const nodes = convertInlines(lexed.lexInline(text, lexed.scope));
  return showsRepair(plainText(nodes), added) ? convertInlines(lexed.lexInline(plain, lexed.scope)) : nodes;
}

/** A marker that closes nothing stays in the text, completely or, if others close after it, in part. */
function showsRepair(text: string, added: string): boolean {
  for (let length = added.length; length > 0; length -= 1) if (text.endsWith(added.slice(0, length))) return true;
  return false;
}

type Slot = readonly Token[];
type SourceOf = (slot: Slot) => string;

const ENDS_BLANK = /\n[ \t]*\n[ \t]*$/;

/** The leaf that the next characters will most likely extend, or null if the last block has no inline text. */
function growingSlot(source: string, tokens: readonly Token[], sourceOf: SourceOf): Slot | null {
  return ENDS_BLANK.test(source) ? null : lastSlot(tokens, source.endsWith("\n"), sourceOf);
}

function lastSlot(tokens: readonly Token[], isLineEnd: boolean, sourceOf: SourceOf): Slot | null {
  const last = tokens.findLast((token): token is MarkedToken => token.type !== "space" && token.type !== "checkbox");
  switch (last?.type) {
    case "paragraph":
      return last.tokens;
    case "text":
      return last.tokens ?? null;
    case "heading":
      return isLineEnd ? null : last.tokens;
    case "blockquote":
      return lastSlot(last.tokens, isLineEnd, sourceOf);
    case "list":
      return lastSlot(last.items.at(-1)?.tokens ?? [], isLineEnd, sourceOf);
    case "table": {
      if (isLineEnd) return null;
      const cells = last.rows.at(-1) ?? last.header;
      return cells.findLast((cell) => sourceOf(cell.tokens) !== "")?.tokens ?? null; // short rows are padded with empty cells
    }
    default:
      return null;
  }
}

/** A list or indented code before a blank line continues if the next line starts with one of these. */
const MAY_CONTINUE = /[ \t*+\-\d]/;
const BLANK_LINE = /\n[ \t]*\n/;
const ATX_HEADING = /^ {0,3}#/;

/**
 * How much of the source no further text can change, in characters: the cut is before a block that starts after
 * a blank line, or right after a block that ends itself. Definitions, setext headings, tables and lazy lines reach
 * back to the last blank line and no further; an open fence or comment contains the rest, so no block follows it.
 */
function settledLength(source: string, tokens: readonly Token[]): number {
  let settled = 0;
  let offset = 0;
  let previous: Token | null = null;
  let previousIsSettled = false;
  for (const token of tokens) {
    if (!source.startsWith(token.raw, offset)) break; // marked rewrote the source, so offsets are invalid from here on
    const isFirst = previous === null;
    const followsBlank =
      previous?.type === "space" && isAfterBlankLine(source, offset, previous) && isDecided(source, offset);
    const followsClosed: boolean = previousIsSettled && previous !== null && endsItself(previous);
    const isSettledStart: boolean = token.type !== "space" && (isFirst || followsBlank || followsClosed);
    if (isSettledStart) settled = offset;
    previousIsSettled = isSettledStart;
    previous = token;
    offset += token.raw.length;
  }
  return settled;
}

/** marked also counts the blanks at the end of a list's last line as space. */
function isAfterBlankLine(source: string, offset: number, space: Token): boolean {
  return BLANK_LINE.test(source.slice(Math.max(0, offset - space.raw.length - 1), offset));
}

/** Whether enough of the line at the offset is known to decide that the block before it has ended. */
function isDecided(source: string, offset: number): boolean {
  return !MAY_CONTINUE.test(source.charAt(offset)) || source.includes("\n", offset);
}

function endsItself(token: Token): boolean {
  switch (token.type) {
    case "hr":
      return token.raw.endsWith("\n");
    case "heading":
      return ATX_HEADING.test(token.raw) && token.raw.endsWith("\n");
    case "code":
      return token["codeBlockStyle"] !== "indented" && token.raw.endsWith("\n");
    default:
      return false;
  }
}

const OPENING = /^(?:(`{3,})[^`\n]*|(~{3,})(?!~)[^\n]*)\n/;

/**
 * The opening line of a fenced code block at the start of a source, once it is complete. Indented ones take the slow
 * path.
 */
function matchOpenFence(source: string): { readonly opening: string; readonly run: string } | null {
  const match = OPENING.exec(source);
  const run = match?.[1] ?? match?.[2];
  return match === null || run === undefined ? null : { opening: match[0], run };
}

/** An unclosed code block: new text is read once, however long the block gets. */
class OpenFence {
  readonly node: CodeNode;
  readonly #run: string;
  readonly #signs: RegExp;
  #held = "";
  #isInsideLine = false;
  #hasLine = false;

  constructor(node: CodeNode, run: string) {
    this.node = node;
    this.#run = run;
    this.#signs = new RegExp(`^ {0,3}(${run.charAt(0)}*) *$`);
  }

  /** Adds to the code and returns the growth; `rest` is the text after the closing fence, null while there is none. */
  feed(text: string): { growth: string; rest: string | null } {
    const source = this.#held + text;
    let growth = "";
    let from = 0;
    for (let end = source.indexOf("\n"); end !== -1; end = source.indexOf("\n", from)) {
      const line = source.slice(from, end);
      from = end + 1;
      if (!this.#isInsideLine && this.#isClosing(line)) return { growth: this.#grow(growth), rest: source.slice(from) };
      growth += this.#emit(line);
      this.#isInsideLine = false;
    }
    const last = source.slice(from);
    const isHeld = !this.#isInsideLine && this.#signs.test(last);
    this.#held = isHeld ? last : "";
    if (!isHeld) {
      growth += this.#emit(last);
      this.#isInsideLine = true;
    }
    return { growth: this.#grow(growth), rest: null };
  }

  /** The text has ended: a held line is either the closing fence or code. */
  end(): string {
    if (this.#held === "" || this.#isClosing(this.#held)) return "";
    return this.#grow(this.#emit(this.#held));
  }

  /** Counted, because no pattern is as long as such a run may be. */
  #isClosing(line: string): boolean {
    return (this.#signs.exec(line)?.[1]?.length ?? 0) >= this.#run.length;
  }

  /** The line break belongs before a line, not after: the last one before the fence is not part of the code. */
  #emit(line: string): string {
    const text = this.#hasLine && !this.#isInsideLine ? `\n${line}` : line;
    this.#hasLine = true;
    return text;
  }

  #grow(growth: string): string {
    this.node.text += growth;
    return growth;
  }
}
