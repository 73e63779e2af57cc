/** An endless line would be laid out whole; in rows of this length, only the visible ones are. */
const ROW_CHARS_MAX = 1_000;

/** A growing text as rows of one height: a line is one row, or several when it is very long. What is there stays as it is. */
export class SourceLines {
  readonly #rows: string[] = [];
  /** The line of each row, counted from 1. */
  readonly #lines: number[] = [];
  #lineCount = 0;
  /** The end of the last line has not come. */
  #isOpen = false;

  get rowCount(): number {
    return this.#rows.length;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  /** Whether each line is one row. */
  get isUncut(): boolean {
    return this.#rows.length === this.#lineCount;
  }

  push(text: string): void {
    const lines = text.split("\n");
    const open = lines.pop() ?? "";
    for (const line of lines) this.#add(line, true);
    if (open !== "") this.#add(open, false);
  }

  rowAt(index: number): { readonly text: string; readonly line: number; readonly isFirst: boolean } {
    const line = this.#lines[index] ?? 0;
    return { text: this.#rows[index] ?? "", line, isFirst: this.#lines[index - 1] !== line };
  }

  /** The first row of a line; of the last one for a line that is not there. */
  rowOf(line: number): number {
    let low = 0;
    let high = Math.max(0, this.#rows.length - 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The received text. */
  text(): string {
    return this.#rows.map((row, index) => (this.#lines[index + 1] === this.#lines[index] ? row : `${row}\n`)).join("");
  }

  #add(text: string, isWhole: boolean): void {
    const goesOn = this.#isOpen;
    this.#isOpen = !isWhole;
    if (!goesOn) this.#lineCount += 1;
    if (goesOn) this.#lines.pop();
    const joined = goesOn ? (this.#rows.pop() ?? "") + text : text;
    const line = isWhole && joined.endsWith("\r") ? joined.slice(0, -1) : joined;
    // The rest of the line may have been its carriage return alone.
    if (line === "" && this.#lines.at(-1) === this.#lineCount) return;
    for (let at = 0; at < line.length || at === 0; ) {
      const end = Math.max(1, wholeCharacter(line, at + ROW_CHARS_MAX));
      this.#rows.push(line.slice(at, end));
      this.#lines.push(this.#lineCount);
      at = end;
    }
  }
}

/** No row ends between the halves of a character. */
function wholeCharacter(line: string, end: number): number {
  const code = line.charCodeAt(end - 1);
  return end < line.length && code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
