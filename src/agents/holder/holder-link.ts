import type { Socket } from "bun";
import { parseJson } from "../../lib/parse-json.ts";
import type { ProcessLink } from "./held-process.ts";
import { socketOf } from "./holder-orders.ts";
import { Hello } from "./holder-words.ts";
import {
  BrokenRecordError,
  encodeRecord,
  type JournalRecord,
  KIND,
  type RecordKind,
  RecordReader,
} from "./journal-record.ts";

/** A running holder answers at once; one that is stopped or stuck never does. */
const HELLO_TIMEOUT_MS = 10_000;

interface HolderListener {
  onRecord(record: JournalRecord): void;
  /** Its journal is damaged: it is running but cannot be read further. `pid` is its process, if known. */
  onBroken(pid: number | null): void;
  /** The holder has ended or sends unreadable data. */
  onClosed(): void;
}

/** The server's side of the socket to one holder. */
export class HolderLink implements ProcessLink {
  readonly hello: Hello;
  readonly #socket: Socket<unknown>;
  readonly #state: LinkState;

  private constructor(socket: Socket<unknown>, state: LinkState, hello: Hello) {
    this.#socket = socket;
    this.#state = state;
    this.hello = hello;
  }

  /** Resolves with the holder's hello; later records go to `listener`. Rejects if there is no answer. */
  static async open(dir: string, listener: HolderListener): Promise<HolderLink> {
    const { promise: greeted, resolve, reject } = Promise.withResolvers<Hello>();
    const state: LinkState = { unsent: [] };
    let pid: number | null = null;
    const reader = new RecordReader((record) => {
      if (record.kind !== KIND.hello) return listener.onRecord(record);
      const hello = Hello.safeParse(parseJson(record.text));
      if (!hello.success) return reject(new Error("the holder has another version"));
      ({ pid } = hello.data);
      resolve(hello.data);
    });
    const over = () => {
      reject(new Error("the holder is gone"));
      listener.onClosed();
    };
    const socket = await Bun.connect({
      unix: socketOf(dir),
      socket: {
        data: (from, bytes) => {
          try {
            reader.push(bytes);
          } catch (error) {
            if (!(error instanceof BrokenRecordError)) throw error;
            listener.onBroken(pid);
            from.end();
          }
        },
        drain: (to) => flush(to, state),
        close: over,
        error: over,
      },
    });
    const timer = setTimeout(() => reject(new Error("the holder does not respond")), HELLO_TIMEOUT_MS);
    try {
      return new HolderLink(socket, state, await greeted);
    } catch (error) {
      socket.end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  send(kind: RecordKind, text = "", offset = 0): void {
    this.#state.unsent.push(encodeRecord({ kind, offset, text }));
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

  kill(): void {
    endHolder(this.hello.pid);
  }
}

interface LinkState {
  readonly unsent: Uint8Array[];
}

/** Sends what the socket takes now; called again when it has drained. */
export function flush(socket: Socket<unknown>, state: LinkState): void {
  for (let next = state.unsent.shift(); next; next = state.unsent.shift()) {
    const sent = Math.max(0, socket.write(next));
    if (sent === next.byteLength) continue;
    state.unsent.unshift(next.subarray(sent));
    return;
  }
}

/** Its lifeline ends its agent. A holder that has already ended is fine. */
export function endHolder(pid: number | null): void {
  try {
    if (pid !== null) process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== "ESRCH") throw error;
  }
}
