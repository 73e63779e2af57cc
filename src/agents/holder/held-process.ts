import { ignore } from "../../lib/ignore.ts";
import { parseJson } from "../../lib/parse-json.ts";
import {
  type ExitReport,
  type HostedProcess,
  NotStartableError,
  type PastLine,
  type ProcessSpec,
  type StopUrgency,
} from "../process/process-host.ts";
import { Exit, type Hello } from "./holder-words.ts";
import { BrokenRecordError, type JournalRecord, KIND, type RecordKind } from "./journal-record.ts";

/** A holder that has not ended its agent by then is killed, and its lifeline ends the agent. */
const STOP_INSIST_MS: Readonly<Record<StopUrgency, number>> = { gentle: 15_000, now: 1_500 };

/** How a holder is reached. */
export interface ProcessLink {
  readonly hello: Hello;
  send(kind: RecordKind, text?: string, offset?: number): void;
  /** Ends the holder at once; its lifeline ends the agent. */
  kill(): void;
  /** Leaves the holder, which keeps the agent for the next server. */
  end(): void;
}

type OutputListener = Pick<ProcessSpec, "onLine" | "onStderr" | "onTooLong">;

/** An agent process under a holder, seen from the server. */
export class HeldProcess implements HostedProcess {
  readonly checkpointBytes: number;
  readonly started: Promise<void>;
  readonly exited: Promise<ExitReport>;
  readonly #started = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<ExitReport>();
  /** The journal has been read to its end once. */
  readonly caughtUp: Promise<void>;
  readonly #caughtUp = Promise.withResolvers<void>();
  /** The holder has ended. */
  readonly #gone = Promise.withResolvers<void>();
  readonly #removeFiles: () => void;
  #link: ProcessLink | null = null;
  #hasHolder = true;
  #listener: OutputListener | null = null;
  /** Set once the listener has taken the past lines. */
  #activeListener: OutputListener | null = null;
  /** Records received before there was a listener. */
  #early: JournalRecord[] = [];
  /** To be sent once the holder is connected. */
  #unsent: (() => void)[] = [];
  #stderrTail = "";
  #isOver = false;

  /** `removeFiles` removes the files of a killed holder; a running one removes its own. */
  constructor(checkpointBytes: number, removeFiles: () => void) {
    this.checkpointBytes = checkpointBytes;
    this.#removeFiles = removeFiles;
    this.started = this.#started.promise;
    this.exited = this.#exited.promise;
    this.caughtUp = this.#caughtUp.promise;
    this.started.catch(ignore("the caller of start gets the error"));
  }

  /** Unset before the process has started. */
  get pid(): number {
    return this.#link?.hello.agentPid ?? 0;
  }

  get link(): ProcessLink | null {
    return this.#link;
  }

  /** The exit record has arrived but was not handled yet. */
  get hasEnded(): boolean {
    return this.#early.some(({ kind }) => kind === KIND.exit);
  }

  /** False once its holder has ended or sends unreadable data. */
  get isHeld(): boolean {
    return this.#hasHolder && this.#link !== null;
  }

  connected(link: ProcessLink): void {
    this.#link = link;
    this.#stderrTail = link.hello.stderrTail;
    if (link.hello.agentPid !== null) this.#started.resolve();
    for (const send of this.#unsent.splice(0)) send();
  }

  /** There is no holder any more: the agent ends with it. */
  lost(reason: string): void {
    this.#hasHolder = false;
    this.#gone.resolve();
    this.#started.reject(new NotStartableError(reason));
    this.#caughtUp.resolve();
    this.receive({ kind: KIND.exit, offset: 0, text: JSON.stringify(this.#killed) });
  }

  get #killed(): Exit {
    return { code: null, signal: "SIGKILL", stderrTail: this.#stderrTail };
  }

  /** Throws BrokenRecordError for an end that cannot be read. Handled later, the error would be uncaught. */
  receive(record: JournalRecord): void {
    if (record.kind === KIND.exit) readExit(record.text);
    if (record.kind === KIND.live) this.#caughtUp.resolve();
    else if (this.#activeListener) this.#handOver(record, this.#activeListener);
    else this.#early.push(record);
  }

  /** Receives the output of the process once the past lines have been taken. */
  listen(listener: OutputListener): void {
    this.#listener = listener;
  }

  takePast(): readonly PastLine[] {
    const early = this.#early.splice(0);
    const rest = early.filter(({ kind }) => kind === KIND.exit || kind === KIND.stderr || kind === KIND.tooLong);
    this.#activeListener = this.#listener;
    // The exit comes after all output.
    queueMicrotask(() => {
      for (const record of rest) this.receive(record);
    });
    return pastOf(early);
  }

  write(line: string): void {
    this.#send(() => this.#link?.send(KIND.out, line));
  }

  checkpoint(offset: number, note: string, sentSince: number): void {
    const text = sentSince === 0 ? note : `+${sentSince}\n${note}`;
    this.#send(() => this.#link?.send(KIND.note, text, offset));
  }

  async release(): Promise<void> {
    if (this.#hasHolder) this.#send(() => this.#link?.send(KIND.release));
    else this.#removeFiles();
    await this.#gone.promise;
  }

  async stop(urgency: StopUrgency = "gentle"): Promise<ExitReport> {
    this.#send(() => this.#link?.send(KIND.stop, urgency));
    const insist = setTimeout(() => this.#link?.kill(), STOP_INSIST_MS[urgency]);
    const exit = await this.exited;
    clearTimeout(insist);
    return exit;
  }

  #send(send: () => void): void {
    if (this.#link) send();
    else this.#unsent.push(send);
  }

  #handOver({ kind, offset, text }: JournalRecord, listener: OutputListener): void {
    switch (kind) {
      case KIND.in:
        listener.onLine(text, offset);
        break;
      case KIND.tooLong:
        listener.onTooLong(Number(text));
        break;
      case KIND.stderr:
        listener.onStderr(text);
        break;
      case KIND.exit:
        this.#end(readExit(text));
        break;
    }
  }

  #end({ notStartable, ...report }: Exit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (notStartable === undefined) this.#started.resolve();
    else this.#started.reject(new NotStartableError(notStartable));
    this.#exited.resolve(report);
  }
}

function readExit(text: string): Exit {
  const exit = Exit.safeParse(parseJson(text));
  if (!exit.success) throw new BrokenRecordError("the end of the process cannot be read");
  return exit.data;
}

/**
 * The part of a journal that a new server needs: the last note first, then the lines after it. A note covers the
 * agent's lines up to the one it names, and the lines to the agent before it, except for the last `sentSince` of them.
 */
export function pastOf(records: readonly JournalRecord[]): readonly PastLine[] {
  const at = records.findLastIndex(({ kind }) => kind === KIND.note);
  const { note, sentSince } = records[at] ? noteOf(records[at]) : { note: null, sentSince: 0 };
  const covered = note?.offset ?? 0;
  const sentBefore = records.flatMap(({ kind }, index) => (kind === KIND.out && index < at ? [index] : []));
  const lastCovered = sentBefore.at(-1 - sentSince) ?? -1;
  const lines = records.flatMap(({ kind, offset, text }, index): PastLine[] => {
    if (kind === KIND.in && offset > covered) return [{ direction: "in", offset, text }];
    return kind === KIND.out && index > lastCovered ? [{ direction: "out", offset, text }] : [];
  });
  return note ? [note, ...lines] : lines;
}

/** The first line names the last covered record; a second one, if it begins with `+`, how many lines were sent since. */
function noteOf({ text }: JournalRecord): { note: PastLine; sentSince: number } {
  const [whole, covered = "", sentSince = "0"] = /^(\d+)\n(?:\+(\d+)\n)?/.exec(text) ?? [""];
  return {
    note: { direction: "note", offset: Number(covered), text: text.slice(whole.length) },
    sentSince: Number(sentSince),
  };
}
