/** A line that never ends would be laid out whole; in pieces, only what is seen is. */
const LINE_CHARS_MAX = 2_000;
/** Browsers place nothing below some 30 million pixels. */
export const LINES_SHOWN_MAX = 1_500_000;

/** A growing text as lines to show: what is there stays, only the end is split again. */
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
