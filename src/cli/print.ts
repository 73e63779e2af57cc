import { asPlainJson } from "../lib/harmless-text.ts";
import type { CommandLine } from "./parse-command-line.ts";

/** The result: an object for programs, or text for people; what agents wrote steers no terminal. */
export function print(line: CommandLine, result: object, text: string): void {
  const shown = process.stdout.isTTY === true ? plain(text) : text;
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

/** Rows in columns; the last one is as long as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))))
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

/** What agents wrote, without what could move the cursor or recolour the terminal; one line where that is wanted. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}|\p{Bidi_Control}/gu, (sign) => (sign === "\n" || sign === "\t" ? sign : ""));
}

export function oneLine(text: string, charsMax = 80): string {
  const line = plain(text.replace(/\s+/g, " ")).trim();
  return line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line;
}
