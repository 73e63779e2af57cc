/** Agents do not say when a replay is over, and some go on after they answered: silence for this long is the end. */
const QUIET_MS = 150;
/** An agent that has not repeated a word by the time it answers may be one that starts only then. */
const FIRST_WORD_MS = 1_500;
const WAIT_MS_MAX = 30_000;

/** Tells when an agent has repeated all it remembers. */
export class ReplayEnd {
  #hasWords = false;
  #onWord: () => void = () => undefined;

  heard(): void {
    this.#hasWords = true;
    this.#onWord();
  }

  /** To be waited for once the agent has answered. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(quiet);
        clearTimeout(limit);
        this.#onWord = () => undefined;
        resolve();
      };
      let quiet = setTimeout(finish, this.#hasWords ? QUIET_MS : FIRST_WORD_MS);
      const limit = setTimeout(finish, WAIT_MS_MAX);
      this.#onWord = () => {
        clearTimeout(quiet);
        quiet = setTimeout(finish, QUIET_MS);
      };
    });
  }
}
