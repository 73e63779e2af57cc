/** Typing is kept this long after the last key: often enough that nothing is lost, rarely enough to cost nothing. */
const DRAFT_DELAY_MS = 400;

/** Hands a draft on once the typing pauses, and at once when the page may go away. */
export class DraftSaver {
  readonly #save: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(save: () => void) {
    this.#save = save;
  }

  schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), DRAFT_DELAY_MS);
  }

  flush(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#save();
  }
}
