import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "bun";
import { parseJson } from "../../lib/parse-json.ts";
import { endHolder, flush } from "./holder-link.ts";
import { socketOf } from "./holder-orders.ts";
import { Hello } from "./holder-words.ts";
import { readJournal } from "./journal.ts";
import { BrokenRecordError, encodeRecord, KIND, RecordReader } from "./journal-record.ts";

interface SocketListener {
  onBytes(bytes: Uint8Array): void;
  onClosed(): void;
}

/** The socket of a holder as bytes, for a program that only passes them on. */
export class HolderSocket {
  readonly #socket: Socket<unknown>;
  readonly #state: { readonly unsent: Uint8Array[]; pid: number | null };

  private constructor(socket: Socket<unknown>, state: { readonly unsent: Uint8Array[]; pid: number | null }) {
    this.#socket = socket;
    this.#state = state;
  }

  /** Rejects if no holder listens there. */
  static async open(parent: string, id: string, listener: SocketListener): Promise<HolderSocket> {
    const state: { unsent: Uint8Array[]; pid: number | null } = { unsent: [], pid: null };
    // The first record says which process it is.
    let greeting: RecordReader | null = new RecordReader(({ kind, text }) => {
      if (kind === KIND.hello) state.pid = Hello.safeParse(parseJson(text)).data?.pid ?? null;
      greeting = null;
    });
    const socket = await Bun.connect({
      unix: socketOf(join(parent, id)),
      socket: {
        data: (_, bytes) => {
          try {
            greeting?.push(bytes);
          } catch (error) {
            // What comes behind the first record is for the other end to read.
            if (!(error instanceof BrokenRecordError)) throw error;
            greeting = null;
          }
          listener.onBytes(bytes);
        },
        drain: (to) => flush(to, state),
        close: () => listener.onClosed(),
        error: () => listener.onClosed(),
      },
    });
    return new HolderSocket(socket, state);
  }

  write(bytes: Uint8Array): void {
    this.#state.unsent.push(bytes);
    flush(this.#socket, this.#state);
  }

  /** While not reading, agent output stays in the holder's journal. */
  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  end(): void {
    this.#socket.end();
  }

  /** Ends the holder at once; its lifeline ends the agent. */
  killHolder(): void {
    endHolder(this.#state.pid);
  }
}

/** The journal of a holder that has ended, as the holder would have sent it; null if there is no such holder. */
export function journalBytes(parent: string, id: string): Uint8Array | null {
  const dir = join(parent, id);
  return existsSync(dir) ? Buffer.concat(readJournal(dir).map(encodeRecord)) : null;
}
