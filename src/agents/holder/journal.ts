import { closeSync, ftruncateSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { encodeRecord, type JournalRecord, KIND, type RecordKind, readRecords } from "./journal-record.ts";

export const SEGMENT_PREFIX = "journal-";

interface Segment {
  readonly path: string;
  readonly fd: number;
  bytes: number;
  lastOffset: number;
}

/** A reader's position in the journal. */
export interface JournalPosition {
  readonly segment: number;
  readonly byte: number;
}

/**
 * Everything that passed through the agent's pipes and is not stored elsewhere yet: numbered, checksummed records in
 * files of bounded size. The oldest files are removed once a server's note covers them.
 */
export class Journal {
  readonly #dir: string;
  readonly #segmentBytesMax: number;
  /** By number; the highest one grows. */
  readonly #segments = new Map<number, Segment>();
  /** Obsolete files that could not be removed yet, oldest first. */
  #unremoved: string[] = [];
  #newest = 0;
  #lastOffset = 0;
  #bytes = 0;

  constructor(dir: string, segmentBytesMax: number) {
    this.#dir = dir;
    this.#segmentBytesMax = segmentBytesMax;
  }

  /** Bytes on disk that may still be needed. */
  get bytes(): number {
    return this.#bytes;
  }

  get start(): JournalPosition {
    const [oldest = this.#newest] = this.#segments.keys();
    return { segment: oldest, byte: 0 };
  }

  get end(): JournalPosition {
    return { segment: this.#newest, byte: this.#segments.get(this.#newest)?.bytes ?? 0 };
  }

  /** Returns the record as written. Throws if the disk is not writable; then nothing of it remains. */
  append(kind: RecordKind, text: string): Uint8Array {
    const offset = this.#lastOffset + 1;
    const bytes = encodeRecord({ kind, offset, text });
    const segment = this.#growing();
    try {
      writeWhole(segment.fd, bytes, segment.bytes);
    } catch (error) {
      ftruncateSync(segment.fd, segment.bytes);
      throw error;
    }
    segment.bytes += bytes.byteLength;
    segment.lastOffset = offset;
    this.#bytes += bytes.byteLength;
    this.#lastOffset = offset;
    return bytes;
  }

  /**
   * Writes a note that covers everything up to that record and removes files with nothing newer. If a file cannot be
   * removed, the agent is not blocked and the note is not repeated: removal is retried with the next note.
   */
  checkpoint(note: string, covered: number): Uint8Array {
    const bytes = this.append(KIND.note, `${covered}\n${note}`);
    for (const [number, segment] of this.#segments) {
      if (number === this.#newest || segment.lastOffset > covered) break;
      this.#segments.delete(number);
      this.#bytes -= segment.bytes;
      this.#unremoved.push(segment.path);
      closeSync(segment.fd);
    }
    this.#removeOld();
    return bytes;
  }

  /** The data after that position, up to a limit, and the next position; null at the end. */
  read(from: JournalPosition, bytesMax: number): { bytes: Uint8Array; next: JournalPosition } | null {
    const segment = this.#segments.get(from.segment);
    const left = segment ? segment.bytes - from.byte : 0;
    if (!segment || left === 0)
      return from.segment < this.#newest ? this.read({ segment: from.segment + 1, byte: 0 }, bytesMax) : null;
    const bytes = new Uint8Array(Math.min(left, bytesMax));
    const count = readSync(segment.fd, bytes, 0, bytes.byteLength, from.byte);
    return { bytes: bytes.subarray(0, count), next: { segment: from.segment, byte: from.byte + count } };
  }

  /** In order, stopping at the first failure: a reader trusts a journal up to its first gap. */
  #removeOld(): void {
    const kept = this.#unremoved.findIndex((path) => !isRemoved(path));
    this.#unremoved = kept === -1 ? [] : this.#unremoved.slice(kept);
  }

  #growing(): Segment {
    const newest = this.#segments.get(this.#newest);
    if (newest && newest.bytes < this.#segmentBytesMax) return newest;
    const number = this.#newest + 1;
    const path = join(this.#dir, `${SEGMENT_PREFIX}${String(number).padStart(9, "0")}`);
    const segment = { path, fd: openSync(path, "wx+", 0o600), bytes: 0, lastOffset: this.#lastOffset };
    this.#segments.set(number, segment);
    this.#newest = number;
    return segment;
  }
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return false;
  }
}

function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.byteLength; )
    done += writeSync(fd, bytes, done, bytes.byteLength - done, position + done);
}

/** Reads the journal of an ended holder: every valid record, in order, up to the first damaged one. */
export function readJournal(dir: string): readonly JournalRecord[] {
  const records: JournalRecord[] = [];
  const names = readdirSync(dir).filter((name) => name.startsWith(SEGMENT_PREFIX));
  for (const name of names.sort()) {
    const bytes = readFileSync(join(dir, name));
    const read = readRecords(bytes);
    const before = records.length;
    for (const record of read.records) {
      const expected = (records.at(-1)?.offset ?? record.offset - 1) + 1;
      if (record.offset !== expected) return records;
      records.push(record);
    }
    // A file is created for a record: an empty file, or one with unreadable bytes, has lost some.
    if (records.length === before || read.bytesRead < bytes.byteLength) break;
  }
  return records;
}
