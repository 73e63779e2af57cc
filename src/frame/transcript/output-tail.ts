/** The end of a long output, which is what one looks at first. */
export interface OutputTail {
  readonly start: number;
  readonly hiddenLines: number;
}

export const OUTPUT_LINES_MAX = 120;
export const OUTPUT_CHARS_MAX = 64 * 1024;

/** Where the last lines begin, and how many stand before; a single endless line is cut as well. */
export function outputTail(text: string, linesMax = OUTPUT_LINES_MAX, charsMax = OUTPUT_CHARS_MAX): OutputTail {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  let start = end;
  for (let lines = 0; lines < linesMax && start !== -1; lines += 1)
    start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  const byLines = start + 1;
  const from = Math.max(byLines, text.length - charsMax);
  return { start: from, hiddenLines: from === 0 ? 0 : countLines(text, from) };
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return Math.max(1, lines);
}
