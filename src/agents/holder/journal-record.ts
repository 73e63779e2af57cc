/** Kinds of records. The first five are stored in the journal; the others are only sent between holder and server. */
export const KIND = {
  /** A line from the agent. */
  in: 1,
  /** A line to the agent. */
  out: 2,
  /** State that a server leaves for its successor; its text is opaque here. */
  note: 3,
  /** An agent line over the limit; the text is its length in bytes. */
  tooLong: 4,
  /** The agent has ended; the text says how. */
  exit: 5,
  stderr: 6,
  hello: 7,
  /** The whole journal has been sent. */
  live: 8,
  stop: 9,
  /** The server has everything it needs: the holder may exit. */
  release: 10,
  /** The journal has the line to the agent with this number, and all before it. */
  taken: 11,
} as const;

export type RecordKind = (typeof KIND)[keyof typeof KIND];

export interface JournalRecord {
  readonly kind: RecordKind;
  /** Its number in the journal, from 1; in a note, the last record that the note covers. */
  readonly offset: number;
  readonly text: string;
}

const FRAME_BYTES = 8;
const HEAD_BYTES = 9;
/** The limit of a line; anything larger is not a record. */
const BODY_BYTES_MAX = 512 * 1024 * 1024;
const KINDS: ReadonlySet<number> = new Set(Object.values(KIND));

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Length and checksum of the body, then the body: kind, offset, text. */
export function encodeRecord({ kind, offset, text }: JournalRecord): Uint8Array {
  const payload = encoder.encode(text);
  const bytes = new Uint8Array(FRAME_BYTES + HEAD_BYTES + payload.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, HEAD_BYTES + payload.byteLength, true);
  view.setUint8(FRAME_BYTES, kind);
  view.setFloat64(FRAME_BYTES + 1, offset, true);
  bytes.set(payload, FRAME_BYTES + HEAD_BYTES);
  view.setUint32(4, Bun.hash.crc32(bytes.subarray(FRAME_BYTES)), true);
  return bytes;
}

/** The bytes differ from what was written: truncated or changed. */
export class BrokenRecordError extends Error {
  override readonly name = "BrokenRecordError";
}

/** Decodes records from chunks of any size. Throws BrokenRecordError at the first invalid record. */
export class RecordReader {
  readonly #onRecord: (record: JournalRecord) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** The size of the next record, once its length is known. */
  #needed = FRAME_BYTES;

  constructor(onRecord: (record: JournalRecord) => void) {
    this.#onRecord = onRecord;
  }

  push(chunk: Uint8Array): void {
    this.#parts.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes < this.#needed) return;
    const [only] = this.#parts;
    let rest: Uint8Array = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    for (this.#needed = lengthOf(rest); rest.byteLength >= this.#needed; this.#needed = lengthOf(rest)) {
      if (rest.byteLength < FRAME_BYTES) break;
      const record = decode(rest.subarray(0, this.#needed));
      rest = rest.subarray(this.#needed);
      this.#onRecord(record);
    }
    // A copy, so that a small remainder does not keep a large chunk in memory.
    this.#parts = rest.byteLength > 0 ? [new Uint8Array(rest)] : [];
    this.#bytes = rest.byteLength;
  }
}

/** All valid records at the start of a file; reading stops at the first truncated or damaged one. */
export function readRecords(bytes: Uint8Array): { records: JournalRecord[]; bytesRead: number } {
  const records: JournalRecord[] = [];
  let start = 0;
  try {
    for (let rest = bytes; ; rest = bytes.subarray(start)) {
      const length = lengthOf(rest);
      if (rest.byteLength < FRAME_BYTES || rest.byteLength < length) break;
      records.push(decode(rest.subarray(0, length)));
      start += length;
    }
  } catch (error) {
    if (!(error instanceof BrokenRecordError)) throw error;
  }
  return { records, bytesRead: start };
}

function lengthOf(bytes: Uint8Array): number {
  if (bytes.byteLength < FRAME_BYTES) return FRAME_BYTES;
  const bodyBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (bodyBytes < HEAD_BYTES || bodyBytes > BODY_BYTES_MAX) throw new BrokenRecordError("a record has no such length");
  return FRAME_BYTES + bodyBytes;
}

function decode(bytes: Uint8Array): JournalRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (Bun.hash.crc32(bytes.subarray(FRAME_BYTES)) !== view.getUint32(4, true))
    throw new BrokenRecordError("a record does not match its checksum");
  const kind = view.getUint8(FRAME_BYTES);
  if (!isKind(kind)) throw new BrokenRecordError(`a record has the unknown kind ${kind}`);
  const offset = view.getFloat64(FRAME_BYTES + 1, true);
  return { kind, offset, text: decoder.decode(bytes.subarray(FRAME_BYTES + HEAD_BYTES)) };
}

function isKind(kind: number): kind is RecordKind {
  return KINDS.has(kind);
}
