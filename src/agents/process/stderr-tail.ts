const STDERR_TAIL_CHARS_MAX = 16 * 1024;
const SHOWN_LINES_MAX = 20;

/** The last of what a process complained about: the best answer to "why did it stop". */
export class StderrTail {
  #text = "";

  push(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-STDERR_TAIL_CHARS_MAX);
  }

  lastLines(): string {
    return this.#text.trimEnd().split("\n").slice(-SHOWN_LINES_MAX).join("\n");
  }
}
