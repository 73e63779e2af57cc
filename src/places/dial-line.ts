import type { Socket } from "node:net";

/** What goes over a connection that was dialled in, around the bytes of the contract. */
export const RECORD = {
  /** A sign of life. The first one of the server says that it takes the runner. */
  alive: 0,
  /** Bytes of the contract. */
  bytes: 1,
  /** Server: its runner has answered. */
  ready: 2,
  /** Server: why it ends, as JSON. */
  over: 3,
  /** Runner without a certificate: the code of its link and its public key, as JSON. */
  join: 4,
  /** Server: the place and the certificate, as JSON. */
  joined: 5,
} as const;
type RecordKind = (typeof RECORD)[keyof typeof RECORD];
const KINDS = new Set<number>(Object.values(RECORD));

const HEAD_BYTES = 5;
const PIECE_BYTES_MAX = 256 * 1024;
const ALIVE_MS = 5_000;
/** As with SSH: after so many signs of life that did not come, the other side is gone. */
const MISSED_MAX = 4;
/** What was written last may take this long to leave. */
const LAST_WORDS_MS = 2_000;

interface DialLineListener {
  /** May return a promise: nothing more is read until it resolves. */
  onRecord(kind: RecordKind, bytes: Uint8Array): Promise<void> | null | void;
  /** Once, and never before the line was returned. `why` is empty where the other side has ended it. */
  onClosed(why: string): void;
}

/** One connection between a runner that dials in and its server. A dead one is noticed by both. */
export class DialLine {
  readonly #socket: Socket;
  readonly #listener: DialLineListener;
  readonly #beat: ReturnType<typeof setInterval> | undefined;
  /** Of the longest record that may come. */
  readonly #bytesMax: number;
  #unread: Uint8Array = new Uint8Array();
  #isPaused = false;
  #missed = 0;
  #isEnding = false;
  #isOver = false;
  #why = "";

  /** `isSilent`: it says nothing by itself. `bytesMax`: longer records are refused. */
  constructor(
    socket: Socket,
    listener: DialLineListener,
    { isSilent = false, bytesMax = PIECE_BYTES_MAX, aliveMs = ALIVE_MS } = {},
  ) {
    this.#socket = socket;
    this.#listener = listener;
    this.#bytesMax = bytesMax;
    this.#beat = isSilent ? undefined : setInterval(() => this.#look(), aliveMs);
    socket.on("data", (chunk: Uint8Array) => {
      this.#missed = 0;
      this.#unread = this.#unread.byteLength === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
      if (!this.#isPaused) this.#read();
    });
    socket.on("error", (error) => {
      this.#why = error.message;
    });
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#close());
  }

  /** False if it is over. */
  send(kind: RecordKind, bytes: Uint8Array = new Uint8Array()): boolean {
    if (this.#isEnding || this.#isOver || this.#socket.destroyed) return false;
    for (let from = 0; from === 0 || from < bytes.byteLength; from += PIECE_BYTES_MAX) {
      const piece = bytes.subarray(from, from + PIECE_BYTES_MAX);
      const record = new Uint8Array(HEAD_BYTES + piece.byteLength);
      record[0] = kind;
      new DataView(record.buffer).setUint32(1, piece.byteLength, true);
      record.set(piece, HEAD_BYTES);
      this.#socket.write(record);
    }
    return true;
  }

  sendJson(kind: RecordKind, message: object): boolean {
    return this.send(kind, new TextEncoder().encode(JSON.stringify(message)));
  }

  /** Resolves when there is room for more. */
  async drained(): Promise<void> {
    if (!this.#socket.writableNeedDrain || this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once("drain", resolve);
    this.#socket.once("close", resolve);
    await promise;
    this.#socket.off("drain", resolve);
    this.#socket.off("close", resolve);
  }

  /** Nothing more is read. What was sent still leaves. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), LAST_WORDS_MS).unref();
    queueMicrotask(() => this.#close());
  }

  #read(): void {
    while (!this.#isEnding && this.#unread.byteLength >= HEAD_BYTES) {
      const head = new DataView(this.#unread.buffer, this.#unread.byteOffset, HEAD_BYTES);
      const kind = head.getUint8(0);
      const length = head.getUint32(1, true);
      if (!isKind(kind) || length > this.#bytesMax) {
        this.#why = "it sent what is not in the contract";
        this.#socket.destroy();
        return;
      }
      if (this.#unread.byteLength < HEAD_BYTES + length) return;
      const bytes = this.#unread.subarray(HEAD_BYTES, HEAD_BYTES + length);
      this.#unread = this.#unread.subarray(HEAD_BYTES + length);
      const room = this.#listener.onRecord(kind, bytes) ?? null;
      if (room === null) continue;
      this.#pauseUntil(room);
      return;
    }
  }

  #pauseUntil(room: Promise<void>): void {
    this.#isPaused = true;
    this.#socket.pause();
    room
      .finally(() => {
        this.#isPaused = false;
        this.#socket.resume();
        this.#read();
      })
      .catch(() => this.#socket.destroy());
  }

  #look(): void {
    this.send(RECORD.alive);
    // Nothing can be heard while nothing is read.
    if (this.#isPaused) return;
    this.#missed++;
    if (this.#missed <= MISSED_MAX) return;
    this.#why = "it has been silent for too long";
    this.#socket.destroy();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#beat);
    this.#listener.onClosed(this.#why);
  }
}

function isKind(kind: number): kind is RecordKind {
  return KINDS.has(kind);
}
