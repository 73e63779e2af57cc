import type { Socket } from "bun";
import type { Journal, JournalPosition } from "./journal.ts";
import { encodeRecord, type JournalRecord, KIND, type RecordKind, RecordReader } from "./journal-record.ts";

const CATCH_UP_BYTES_MAX = 256 * 1024;

/**
 * The server on the other side of the socket. It is sent the journal from its start and then what is added; when it
 * reads more slowly than the agent speaks, the rest waits in the journal and not in memory.
 */
export class AttachedServer {
  readonly #socket: Socket<unknown>;
  readonly #journal: Journal;
  readonly #reader: RecordReader;
  /** What has been handed to the socket, or lies in `#unsent`. */
  #position: JournalPosition;
  #unsent: Uint8Array | null = null;
  #isLive = false;
  #hasSaidLive = false;

  constructor(socket: Socket<unknown>, journal: Journal, onRecord: (record: JournalRecord) => void) {
    this.#socket = socket;
    this.#journal = journal;
    this.#reader = new RecordReader(onRecord);
    this.#position = journal.start;
  }

  /** Says who is there, then everything that lies in the journal. */
  greet(hello: string): void {
    this.#put(encodeRecord({ kind: KIND.hello, offset: 0, text: hello }));
    this.drained();
  }

  /** Throws BrokenRecordError for bytes no server of ours would send. */
  received(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  /** This record was added to the journal a moment ago; what the server said itself is no news to it. */
  appended(bytes: Uint8Array, isNews: boolean): void {
    if (!this.#isLive) return;
    this.#position = this.#journal.end;
    if (isNews) this.#put(bytes);
    if (this.#unsent) this.#isLive = false;
  }

  /** Not in the journal: for a server that is behind it goes unsaid. */
  mention(kind: RecordKind, text: string): void {
    if (this.#isLive) this.#put(encodeRecord({ kind, offset: 0, text }));
    if (this.#unsent) this.#isLive = false;
  }

  drained(): void {
    const unsent = this.#unsent;
    this.#unsent = null;
    if (unsent) this.#put(unsent);
    while (!this.#unsent) {
      const piece = this.#journal.read(this.#position, CATCH_UP_BYTES_MAX);
      if (!piece) break;
      this.#position = piece.next;
      this.#put(piece.bytes);
    }
    if (this.#unsent) return;
    this.#isLive = true;
    if (this.#hasSaidLive) return;
    this.#hasSaidLive = true;
    this.mention(KIND.live, "");
  }

  end(): void {
    this.#socket.end();
  }

  #put(bytes: Uint8Array): void {
    const sent = Math.max(0, this.#socket.write(bytes));
    if (sent < bytes.byteLength) this.#unsent = bytes.subarray(sent);
  }
}
