import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type DiffLine, diffLines } from "../../presentation/line-diff.ts";
import { Part } from "../../protocol/entry.ts";
import { ansiSpans } from "../../ui/output/ansi-spans.ts";
import { sizeWords } from "../../ui/parts/block.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import type { WholeOutputOf } from "../state/shell-dialog.ts";

interface OutputDialogProps {
  readonly shell: Shell;
  readonly output: WholeOutputOf;
}

interface Reading {
  readonly chars: number;
  readonly totalChars: number;
  readonly isWhole: boolean;
  readonly failure: string | null;
}

const NOTHING_YET: Reading = { chars: 0, totalChars: 0, isWhole: false, failure: null };

/** A complete long output: read in pieces, and only the lines in view are in the DOM. */
export function OutputDialog({ shell, output }: OutputDialogProps) {
  const [reading, text, lines] = useOutput(shell, output);
  return (
    <Dialog
      title={output.isPack ? "What the agent was told" : output.name === "" ? "Output" : `Output of ${output.name}`}
      wide
      onClose={() => shell.closeDialog()}
    >
      <OutputList lines={lines} count={lines.length} />
      <footer class="dialog-foot">
        <span class="faint" role="status">
          {statusWords(reading, lines.length)}
        </span>
        <span class="spacer" />
        <CopyButton text={text} />
        <button type="button" class="button" disabled={!reading.isWhole} onClick={() => download(text(), output.name)}>
          Download
        </button>
      </footer>
    </Dialog>
  );
}

function statusWords({ chars, totalChars, isWhole, failure }: Reading, lines: number): string {
  if (failure !== null) return failure;
  if (!isWhole) return totalChars === 0 ? "Reading…" : `${sizeWords(chars)} of ${sizeWords(totalChars)} read`;
  const all = `${lines.toLocaleString("en")} lines, ${sizeWords(totalChars)}`;
  return lines > LINES_SHOWN_MAX ? `${all}. Too long to show in full. Download it to see the rest.` : all;
}

function useOutput(shell: Shell, output: WholeOutputOf): [Reading, () => string, readonly string[]] {
  const [reading, setReading] = useState(NOTHING_YET);
  const pieces = useRef<string[]>([]);
  const lines = useRef(new OutputLines());
  useEffect(() => {
    let isOver = false;
    const reader = {
      isOver: () => isOver,
      onFailed: (failure: string) => setReading((before) => ({ ...before, failure })),
      onPiece: (content: string, totalChars: number) => {
        pieces.current.push(content);
        if (output.part === undefined) lines.current.push(content);
        setReading((before) => ({ ...before, chars: before.chars + content.length, totalChars }));
      },
    };
    readOutput(shell, output, reader).then(
      (isWhole) => {
        if (!isWhole || isOver) return;
        // A part is JSON, which can only be parsed as a whole.
        if (output.part !== undefined) {
          pieces.current = [partText(pieces.current.join(""))];
          lines.current.push(pieces.current[0] ?? "");
        }
        setReading((before) => ({ ...before, isWhole: true }));
      },
      () => reader.onFailed("Could not load the output. Close this and try again."),
    );
    return () => {
      isOver = true;
    };
  }, [output]);
  return [reading, () => pieces.current.join(""), lines.current.lines];
}

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${name.replaceAll(/[^a-z0-9.-]+/gi, "-").slice(0, 80) || "output"}.txt`;
  link.click();
  URL.revokeObjectURL(address);
}

/**
 * As in the style sheet: all lines have the same height, so that positions can be computed. It scales with the user's
 * font size.
 */
const LINE_REM = 1.125;
/** Lines rendered above and below the view. */
const MARGIN_LINES = 40;

interface OutputListProps {
  readonly lines: readonly string[];
  /** Separate from the lines, which grow in place. */
  readonly count: number;
}

/** Any number of lines, of which only those near the view are rendered. */
function OutputList({ lines, count }: OutputListProps) {
  const scroller = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = scroller.current ?? {};
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };
  useLayoutEffect(look, [count]);
  const shown = Math.min(count, LINES_SHOWN_MAX);
  const linePx = LINE_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const from = Math.max(0, Math.floor(view.top / linePx) - MARGIN_LINES);
  const to = Math.min(shown, Math.ceil((view.top + view.height) / linePx) + MARGIN_LINES);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="output-lines" ref={scroller} tabIndex={0} aria-label="Whole output" onScroll={look}>
      <div class="output-all" style={{ height: `${shown * LINE_REM}rem` }}>
        <pre class="output-window" style={{ top: `${from * LINE_REM}rem` }}>
          {lines.slice(from, to).map((line, index) => (
            <OutputLine key={from + index} line={line} />
          ))}
        </pre>
      </div>
    </section>
  );
}

function OutputLine({ line }: { line: string }) {
  const spans = ansiSpans(line).map(({ text, className }) =>
    className === "" ? text : <span class={className}>{text}</span>,
  );
  return <div>{spans.length === 0 ? " " : spans}</div>;
}

const SIGN_OF: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-" };

/** A part of an entry as plain text: its text, or its raw form. */
function partText(json: string): string {
  const part = Part.safeParse(JSON.parse(json)).data;
  switch (part?.type) {
    case "text":
      return part.text;
    case "resource":
      return part.text ?? json;
    case "diff":
      return diffLines(part.oldText, part.newText)
        .rows.flatMap((row) => (row.kind === "fold" ? row.lines : [row]))
        .map(({ kind, text }) => `${SIGN_OF[kind]} ${text}`)
        .join("\n");
    default:
      return JSON.stringify(JSON.parse(json), null, 2);
  }
}

interface OutputReader {
  /** One more piece, and the total length. */
  readonly onPiece: (content: string, totalChars: number) => void;
  readonly onFailed: (words: string) => void;
  readonly isOver: () => boolean;
}

/** Reads a long output piece by piece. True if it is complete. */
async function readOutput(shell: Shell, output: WholeOutputOf, reader: OutputReader): Promise<boolean> {
  const { sessionId, entryId, part } = output;
  if (output.isPack) {
    const told = await shell.attempt({ type: "session:pack", sessionId, entryId }, (words) => reader.onFailed(words));
    if (told?.type !== "session:pack" || reader.isOver()) return false;
    reader.onPiece(told.content, told.content.length);
    return true;
  }
  const asked = { type: "session:output", sessionId, entryId, ...(part !== undefined && { part }) } as const;
  for (let from = 0; !reader.isOver(); ) {
    const piece = await shell.attempt({ ...asked, from }, (words) => reader.onFailed(words));
    if (piece?.type !== "session:output" || reader.isOver()) return false;
    reader.onPiece(piece.content, piece.totalChars);
    from += piece.content.length;
    if (piece.content === "" || from >= piece.totalChars) return true;
  }
  return false;
}

/** An endless line would be laid out as a whole; in pieces, only the visible ones are. */
const LINE_CHARS_MAX = 2_000;
/** Browsers cannot position anything below some 30 million pixels. */
const LINES_SHOWN_MAX = 1_500_000;

/** A growing text as lines: existing lines stay, only the end is split again. */
export class OutputLines {
  readonly lines: string[] = [];
  #rest = "";

  push(text: string): void {
    const pieces = (this.#rest + text).split("\n");
    if (this.#rest !== "") this.lines.pop();
    this.#rest = pieces.pop() ?? "";
    for (const piece of pieces) this.#add(piece);
    if (this.#rest.length > LINE_CHARS_MAX) {
      this.#add(this.#rest);
      this.#rest = "";
    } else if (this.#rest !== "") this.lines.push(this.#rest);
  }

  #add(line: string): void {
    if (line.length <= LINE_CHARS_MAX) this.lines.push(line);
    else for (let at = 0; at < line.length; at += LINE_CHARS_MAX) this.lines.push(line.slice(at, at + LINE_CHARS_MAX));
  }
}
