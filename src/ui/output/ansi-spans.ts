/** A run of terminal text in one style; `className` is empty for plain text. */
interface AnsiSpan {
  readonly text: string;
  readonly className: string;
}

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const PLAIN: Style = { colour: "", bold: false, dim: false };
// Colour changes are in the first group; every other control sequence is matched to be dropped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about
const ESCAPE = /\x1b\[([0-9;]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]/g;
/** A lone carriage return starts the line again: its text was overwritten, as by progress bars. */
const OVERWRITTEN = /^[^\n]*\r(?!\n|$)/gm;

/** Terminal output as styled runs: the sixteen colours, bold and dim; all other control sequences are dropped. */
export function ansiSpans(output: string): AnsiSpan[] {
  const text = output.replace(OVERWRITTEN, "").replaceAll("\r", "");
  const spans: AnsiSpan[] = [];
  let style = PLAIN;
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    pushSpan(spans, text.slice(at, match.index), style);
    if (match[1] !== undefined) style = nextStyle(style, match[1]);
    at = match.index + match[0].length;
  }
  pushSpan(spans, text.slice(at), style);
  return spans;
}

function pushSpan(spans: AnsiSpan[], text: string, { colour, bold, dim }: Style): void {
  if (text === "") return;
  const className = [colour && `a-${colour}`, bold && "a-bold", dim && "a-dim"].filter(Boolean).join(" ");
  spans.push({ text, className });
}

function nextStyle(style: Style, codes: string): Style {
  let next = style;
  const numbers = codes.split(";").map(Number);
  for (const code of numbers) {
    // Colours outside the sixteen use the rest of the sequence as their value.
    if (code === 38 || code === 48) return next;
    next = withCode(next, code);
  }
  return next;
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: "" };
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...style, colour: COLOURS[code % 10] ?? "" };
  return style;
}
