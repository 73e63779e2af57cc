import { parseJson } from "../../lib/parse-json.ts";
import { HeldProcess, type ProcessLink } from "./held-process.ts";
import { Hello } from "./holder-words.ts";
import {
  BrokenRecordError,
  encodeRecord,
  type JournalRecord,
  KIND,
  type RecordKind,
  RecordReader,
} from "./journal-record.ts";

/** Something sent that may not have arrived. */
interface Unconfirmed {
  readonly isLine: boolean;
  /** The number of the last line up to and including it. */
  readonly lineCount: number;
  readonly bytes: Uint8Array;
}

interface DistantProcessOptions {
  readonly checkpointBytes: number;
  /** Asks the other machine to end the holder; false if it cannot be asked now. */
  readonly kill: () => boolean;
  /** Its holder was killed: asks the other machine to remove what is left. */
  readonly removeFiles: () => void;
  /** This server leaves the process, which lives on. */
  readonly leave: () => void;
}

/**
 * A held process on another machine. Its holder is reached over a channel that can be cut at any byte and opened again:
 * each line from the agent is passed on once, and each line to it arrives once.
 */
export class DistantProcess {
  readonly process: HeldProcess;
  readonly #options: DistantProcessOptions;
  #write: ((bytes: Uint8Array) => void) | null = null;
  #reader: RecordReader | null = null;
  #hello: Hello | null = null;
  /** The channel is open, and the holder has reported its state. */
  #isGreeted = false;
  /** The newest record of the journal that was passed on. */
  #lastOffset = 0;
  #lineCount = 0;
  #unconfirmed: Unconfirmed[] = [];
  /** Sent again on each new channel: both have the same effect twice. */
  #stop: string | null = null;
  #isReleased = false;
  /** It counts as ended here while its place is unreachable. Its holder may still be running. */
  #isGivenUp = false;

  constructor(options: DistantProcessOptions) {
    this.#options = options;
    this.process = new HeldProcess(options.checkpointBytes, options.removeFiles);
  }

  /** The holder was reached at least once. */
  get isKnown(): boolean {
    return this.#hello !== null;
  }

  /** A new channel to its holder, which sends its hello and its whole journal. */
  opened(write: (bytes: Uint8Array) => void): void {
    this.#write = write;
    this.#isGreeted = false;
    this.#reader = new RecordReader((record) => this.#received(record));
  }

  /** The channel is closed; the process may run on. */
  cut(): void {
    this.#write = null;
    this.#isGreeted = false;
    this.#reader = null;
  }

  /** Bytes of the channel. False for what no sound holder sends: nothing more of that channel is read. */
  receive(bytes: Uint8Array): boolean {
    try {
      this.#reader?.push(bytes);
      return true;
    } catch (error) {
      if (!(error instanceof BrokenRecordError)) throw error;
      this.cut();
      return false;
    }
  }

  /** There is no holder any more. */
  gone(reason: string): void {
    this.cut();
    this.process.lost(reason);
  }

  #received(record: JournalRecord): void {
    switch (record.kind) {
      case KIND.hello:
        this.#greeted(record.text);
        return;
      case KIND.taken:
        this.#confirm(record.offset);
        return;
      case KIND.live:
      case KIND.stderr:
        this.process.receive(record);
        return;
      default:
        if (record.offset <= this.#lastOffset) return;
        this.#lastOffset = record.offset;
        this.process.receive(record);
        // The caller no longer waits for it.
        if (record.kind === KIND.exit && this.#isGivenUp) this.#send(KIND.release, "", 0);
    }
  }

  #greeted(text: string): void {
    const hello = Hello.safeParse(parseJson(text));
    if (!hello.success) throw new BrokenRecordError("the holder has another version");
    const takenCount = hello.data.takenCount ?? 0;
    const isFirst = this.#hello === null;
    this.#hello = hello.data;
    this.#isGreeted = true;
    if (isFirst) {
      this.#lineCount = takenCount;
      this.process.connected(this.#link(hello.data));
      return;
    }
    // A note before a line that has arrived would cover that line when it is repeated.
    this.#unconfirmed = this.#unconfirmed.filter(({ isLine, lineCount }) =>
      isLine ? lineCount > takenCount : lineCount >= takenCount,
    );
    for (const { bytes } of this.#unconfirmed) this.#write?.(bytes);
    if (this.#stop !== null) this.#put(KIND.stop, this.#stop);
    if (this.#isReleased) this.#put(KIND.release);
  }

  #confirm(lineCount: number): void {
    this.#unconfirmed = this.#unconfirmed.filter((one) => one.lineCount > lineCount);
  }

  #link(hello: Hello): ProcessLink {
    return {
      hello,
      send: (kind, text = "", offset = 0) => this.#send(kind, text, offset),
      kill: () => {
        if (this.#options.kill()) return;
        this.#isGivenUp = true;
        this.gone("Its place could not be reached. Its agent ends there by itself.");
      },
      end: this.#options.leave,
    };
  }

  #send(kind: RecordKind, text: string, offset: number): void {
    if (kind === KIND.stop) this.#stop = text;
    else if (kind === KIND.release) this.#isReleased = true;
    else {
      const isLine = kind === KIND.out;
      if (isLine) this.#lineCount++;
      // A newer note replaces the one before it.
      else this.#unconfirmed = this.#unconfirmed.filter((one) => one.isLine || one.lineCount < this.#lineCount);
      const bytes = encodeRecord({ kind, offset: isLine ? this.#lineCount : offset, text });
      this.#unconfirmed.push({ isLine, lineCount: this.#lineCount, bytes });
      if (this.#isGreeted) this.#write?.(bytes);
      return;
    }
    if (this.#isGreeted) this.#put(kind, text);
  }

  #put(kind: RecordKind, text = ""): void {
    this.#write?.(encodeRecord({ kind, offset: 0, text }));
  }
}
