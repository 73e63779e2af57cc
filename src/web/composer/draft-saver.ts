/** Typing is kept this long after the last key: often enough that nothing is lost, rarely enough to cost nothing. */
const DRAFT_DELAY_MS = 400;

/** Hands a draft on once the typing pauses, and at once when the page may go away. */
export class DraftSaver {
  readonly #save: (content: string) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #waiting: string | null = null;

  constructor(save: (content: string) => void) {
    this.#save = save;
  }

  schedule(content: string): void {
    this.#waiting = content;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), DRAFT_DELAY_MS);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const content = this.#waiting;
    this.#waiting = null;
    if (content !== null) this.#save(content);
  }
}
