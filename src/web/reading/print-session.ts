import { adoptStyles } from "../styles/adopt-styles.ts";
import type { TranscriptView } from "../transcript/transcript-view.ts";
import styles from "./print.css" with { type: "text" };

interface PrintOptions {
  readonly transcript: TranscriptView;
  readonly hasMore: () => boolean;
  readonly askForOlder: () => void;
  /** What the paper is headed with. */
  readonly title: () => string;
  readonly print: () => void;
}

/** Prints a session whole: first everything older is fetched, then every entry is made real for as long as it takes. */
export class PrintSession {
  readonly #options: PrintOptions;
  #isWanted = false;

  constructor(options: PrintOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isWanted = true;
    this.update();
  }

  /** More of the session may have come. */
  update(): void {
    const { transcript, hasMore, askForOlder, title, print } = this.#options;
    if (!this.#isWanted) return;
    if (hasMore()) {
      askForOlder();
      return;
    }
    this.#isWanted = false;
    adoptStyles(styles);
    document.title = title();
    transcript.showAll();
    print();
  }
}
