import { createElement } from "../../ui/create-element.ts";
import { exactTime } from "../../ui/words/time-words.ts";
import type { TranscriptView } from "../transcript/transcript-view.ts";

/** More would not be read on paper, and would block the page while it is rendered. */
const PRINT_ENTRIES_MAX = 1_000;

interface PrintOptions {
  readonly transcript: TranscriptView;
  readonly hasMore: () => boolean;
  readonly askForOlder: () => void;
  /** The heading of the printout. */
  readonly head: () => { readonly title: string; readonly agentName: string };
  readonly print: () => void;
}

/** Prints a session: loads older entries up to the limit, then renders every entry. */
export class PrintSession {
  readonly #options: PrintOptions;
  readonly #head = createElement("header", "paper-head column");
  #isWanted = false;

  constructor(options: PrintOptions) {
    this.#options = options;
    options.transcript.element.prepend(this.#head);
  }

  start(): void {
    this.#isWanted = true;
    this.update();
  }

  /** More of the session may have arrived. */
  update(): void {
    const { transcript, hasMore, askForOlder, head, print } = this.#options;
    if (!this.#isWanted) return;
    if (hasMore() && transcript.rowCount < PRINT_ENTRIES_MAX) {
      askForOlder();
      return;
    }
    this.#isWanted = false;
    const { title, agentName } = head();
    const printed = transcript.showForPaper(PRINT_ENTRIES_MAX);
    const isWhole = printed === transcript.rowCount && !hasMore();
    document.title = title;
    this.#head.replaceChildren(
      createElement("h1", "", title),
      createElement("p", "", `${agentName} · printed ${exactTime(new Date().toISOString())}`),
      ...(isWhole ? [] : [createElement("p", "left-out", leftOutWords(printed))]),
    );
    print();
  }
}

function leftOutWords(printed: number): string {
  return `Only the newest ${printed.toLocaleString()} entries of this session are printed. To print all of it, choose Export, then Web page at the top of the session, and print that file.`;
}
