import { asPlainJson } from "../lib/harmless-text.ts";
import { visibleOneLine } from "../lib/visible-text.ts";
import type { CommandLine } from "./parse-command-line.ts";

/** The result: an object for programs, or text for people. A pipe often ends in a terminal: what agents wrote steers none. */
export function print(line: CommandLine, result: object, text: string): void {
  const shown = plain(text);
  process.stdout.write(
    line.json
      ? `${asPlainJson(JSON.stringify(result))}\n`
      : shown === "" || shown.endsWith("\n")
        ? shown
        : `${shown}\n`,
  );
}

let isQuiet = false;

/** From now on only results and errors are printed. */
export function beQuiet(): void {
  isQuiet = true;
}

/** What is not the result: progress, hints, questions. Never on stdout, where the result goes. */
export function tell(text: string): void {
  if (!isQuiet) process.stderr.write(`${plain(text)}\n`);
}

/** Rows in columns; the last one is as long as it is. Each cell is one line. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map((cell) => plain(visibleOneLine(cell))));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))))
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

/** What agents wrote, without what could move the cursor or recolour the terminal. Whatever ends a line ends it here. */
export function plain(text: string): string {
  return text
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, "\n")
    .replace(/\p{Cc}|\p{Bidi_Control}/gu, (sign) => (sign === "\n" || sign === "\t" ? sign : ""));
}

/** A text of several lines does not read like one. */
export function oneLine(text: string, charsMax = 80): string {
  const line = plain(visibleOneLine(text));
  return line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line;
}
