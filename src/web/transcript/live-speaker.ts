import { createElement } from "./create-element.ts";
import { finishedSentences } from "./finished-sentences.ts";
import type { EntryRow, TranscriptRows } from "./rows.ts";

const KEPT_UTTERANCES = 5;
/** Longer than this nobody listens to in one go, and laying it out, even unseen, would hold up the page. */
const UTTERANCE_CHARS_MAX = 4_000;
const CUT_WORDS = "… The rest is in the transcript.";
/** The entry that was spoken is among the newest; further back nobody looks. */
const SEARCHED_ROWS = 50;

/** Speaks the answer to screen readers in whole sentences; the log itself stays silent. */
export class LiveSpeaker {
  readonly element = createElement("div", "visually-hidden");
  #key: string | null = null;
  #spokenLength = 0;
  #hasStarted = false;

  constructor() {
    this.element.setAttribute("aria-live", "polite");
  }

  update(rows: TranscriptRows): void {
    const growing = rows.open.at(-1);
    const next = growing?.live && growing.entry.type === "assistant" ? growing : null;
    if (next?.key !== this.#key) {
      this.#speakRest(rows);
      this.#key = next?.key ?? null;
      // What stood there when the session was opened is for reading; what comes from now on is spoken.
      this.#spokenLength = this.#hasStarted ? 0 : (next?.entry.content.length ?? 0);
    }
    this.#hasStarted = true;
    if (next) this.#speak(next.entry.content, false);
  }

  #speakRest(rows: TranscriptRows): void {
    const isIt = ({ key }: EntryRow) => key === this.#key;
    const row =
      this.#key === null ? undefined : (rows.open.find(isIt) ?? rows.settled.slice(-SEARCHED_ROWS).find(isIt));
    if (row) this.#speak(row.entry.content, true);
  }

  #speak(text: string, isDone: boolean): void {
    const spoken = finishedSentences(text, this.#spokenLength, isDone);
    this.#spokenLength = spoken.length;
    if (spoken.words === "") return;
    const { words } = spoken;
    const isLong = words.length > UTTERANCE_CHARS_MAX;
    this.element.append(createElement("p", "", isLong ? words.slice(0, UTTERANCE_CHARS_MAX) + CUT_WORDS : words));
    while (this.element.childElementCount > KEPT_UTTERANCES) this.element.firstElementChild?.remove();
  }
}
