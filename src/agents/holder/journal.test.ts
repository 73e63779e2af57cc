import { describe, expect, it } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { pastOf } from "./held-process.ts";
import { Journal, readJournal } from "./journal.ts";
import {
  BrokenRecordError,
  encodeRecord,
  type JournalRecord,
  KIND,
  RecordReader,
  readRecords,
} from "./journal-record.ts";

const SEGMENT_BYTES = 200;

function fill(journal: Journal, count: number): void {
  for (let index = 1; index <= count; index++) journal.append(index % 2 === 0 ? KIND.out : KIND.in, `line ${index} é`);
}

function segments(dir: string): string[] {
  return readdirSync(dir).sort();
}

function offsets(records: readonly JournalRecord[]): number[] {
  return records.map(({ offset }) => offset);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe("X-19 a record", () => {
  it("is read back unchanged from chunks of any size", () => {
    const sent: JournalRecord[] = [
      { kind: KIND.in, offset: 1, text: "" },
      { kind: KIND.out, offset: 2, text: "ü\u0000\uFEFF\n{}" },
      { kind: KIND.note, offset: 2 ** 40, text: "x".repeat(10_000) },
    ];
    const bytes = Buffer.concat(sent.map(encodeRecord));
    for (const size of [1, 2, 7, 16, 17, 1_000, bytes.byteLength]) {
      const read: JournalRecord[] = [];
      const reader = new RecordReader((record) => read.push(record));
      for (let start = 0; start < bytes.byteLength; start += size) reader.push(bytes.subarray(start, start + size));
      expect(read).toEqual(sent);
    }
  });

  it("with any byte changed is rejected, and so is one of impossible length", () => {
    const whole = encodeRecord({ kind: KIND.in, offset: 7, text: "words" });
    for (let at = 0; at < whole.byteLength; at++) {
      const damaged = whole.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      expect(readRecords(damaged).records).toEqual([]);
    }
    expect(() => new RecordReader(() => undefined).push(new Uint8Array(16))).toThrow(BrokenRecordError);
  });
});

describe("X-19 a journal", () => {
  it("numbers records without gaps, over any number of files", async () => {
    await using dir = await tempDir();
    const journal = new Journal(dir.path, SEGMENT_BYTES);
    fill(journal, 50);
    expect(segments(dir.path).length).toBeGreaterThan(3);
    const read = readJournal(dir.path);
    expect(offsets(read)).toEqual(upTo(50));
    expect(read[6]).toEqual({ kind: KIND.in, offset: 7, text: "line 7 é" });
  });

  it("is read from any position to its end, in pieces of any size", async () => {
    await using dir = await tempDir();
    const journal = new Journal(dir.path, SEGMENT_BYTES);
    fill(journal, 20);
    const middle = journal.end;
    fill(journal, 20);
    for (const [from, first] of [
      [journal.start, 1],
      [middle, 21],
    ] as const) {
      const read: JournalRecord[] = [];
      const reader = new RecordReader((record) => read.push(record));
      let piece = journal.read(from, 33);
      for (; piece; piece = journal.read(piece.next, 33)) reader.push(piece.bytes);
      expect(offsets(read)).toEqual(upTo(40).slice(first - 1));
    }
    expect(journal.read(journal.end, 33)).toBeNull();
  });

  it("with a truncated tail loses that record alone", async () => {
    await using dir = await tempDir();
    fill(new Journal(dir.path, SEGMENT_BYTES), 9);
    const last = join(dir.path, segments(dir.path).at(-1) ?? "");
    const whole = readFileSync(last);
    const { bytesRead, records } = readRecords(whole);
    expect(bytesRead).toBe(whole.byteLength);
    for (let bytes = whole.byteLength - 1; bytes > 0; bytes--) {
      writeFileSync(last, whole.subarray(0, bytes));
      const kept = readRecords(whole.subarray(0, bytes)).records.length;
      expect(kept).toBeLessThan(records.length);
      expect(offsets(readJournal(dir.path))).toEqual(upTo(9 - records.length + kept));
    }
  });

  it("with a damaged record in the middle is valid up to it, and no further", async () => {
    await using dir = await tempDir();
    fill(new Journal(dir.path, SEGMENT_BYTES), 30);
    const [first = "", second = ""] = segments(dir.path);
    const inFirst = readRecords(readFileSync(join(dir.path, first))).records.length;
    const bytes = readFileSync(join(dir.path, second));
    bytes[30] = (bytes[30] ?? 0) ^ 1;
    writeFileSync(join(dir.path, second), bytes);
    const kept = readJournal(dir.path).length;
    expect(kept).toBeGreaterThanOrEqual(inFirst);
    expect(kept).toBeLessThanOrEqual(inFirst + 1);
    appendFileSync(join(dir.path, first), "junk");
    expect(readJournal(dir.path)).toHaveLength(inFirst);
    truncateSync(join(dir.path, first), 0);
    expect(
      offsets(readJournal(dir.path)).every((offset, index, all) => index === 0 || offset === (all[index - 1] ?? 0) + 1),
    ).toBe(true);
  });

  it("drops what a note covers, and keeps the note and everything after it", async () => {
    await using dir = await tempDir();
    const journal = new Journal(dir.path, SEGMENT_BYTES);
    fill(journal, 50);
    journal.checkpoint("so far", 43);
    fill(journal, 2);
    const records = readJournal(dir.path);
    expect(records[0]?.offset).toBeGreaterThan(30);
    expect(records[0]?.offset).toBeLessThanOrEqual(44);
    expect(pastOf(records).map(({ direction, offset }) => `${direction} ${offset}`)).toEqual([
      "note 43",
      ...["in 45", "in 47", "in 49", "in 52", "out 53"],
    ]);
    const bytes = segments(dir.path).reduce((sum, name) => sum + statSync(join(dir.path, name)).size, 0);
    expect(journal.bytes).toBe(bytes);
  });

  it("keeps lines to the agent that were sent after a note was taken and before it was written", async () => {
    await using dir = await tempDir();
    const journal = new Journal(dir.path, SEGMENT_BYTES);
    for (const kind of [KIND.out, KIND.in, KIND.out, KIND.in, KIND.out, KIND.out]) journal.append(kind, "line");
    journal.checkpoint("+2\n{}", 2);
    journal.append(KIND.out, "line");
    const past = pastOf(readJournal(dir.path));
    expect(past.map(({ direction, offset, text }) => `${direction} ${offset} ${text}`)).toEqual([
      "note 2 {}",
      ...["in 4 line", "out 5 line", "out 6 line", "out 8 line"],
    ]);
  });

  it("continues if an old file cannot be removed: one note each, no gap, and the file is removed with a later note", async () => {
    await using dir = await tempDir();
    await using aside = await tempDir();
    const journal = new Journal(dir.path, SEGMENT_BYTES);
    fill(journal, 50);
    const [first = "", second = ""] = segments(dir.path).map((name) => join(dir.path, name));
    // A directory in its place cannot be removed as a file, even by root.
    renameSync(first, join(aside.path, "first"));
    mkdirSync(first);
    journal.checkpoint("one", 43);
    fill(journal, 2);
    journal.checkpoint("two", 52);
    rmdirSync(first);
    renameSync(join(aside.path, "first"), first);
    const records = readJournal(dir.path);
    expect(segments(dir.path)).toContain(basename(second));
    expect(offsets(records)).toEqual(upTo(54));
    expect(records.filter(({ kind }) => kind === KIND.note).map(({ text }) => text)).toEqual(["43\none", "52\ntwo"]);
    fill(journal, 20);
    journal.checkpoint("three", 74);
    expect(readJournal(dir.path)[0]?.offset).toBeGreaterThan(52);
  });

  it("stays bounded however much passes through, as long as notes are written", async () => {
    await using dir = await tempDir();
    const journal = new Journal(dir.path, SEGMENT_BYTES);
    let most = 0;
    for (let round = 1; round <= 200; round++) {
      fill(journal, 10);
      journal.checkpoint("note", round * 11 - 1);
      most = Math.max(most, journal.bytes);
    }
    expect(most).toBeLessThan(5 * SEGMENT_BYTES);
    expect(segments(dir.path).length).toBeLessThan(5);
  });

  it("ends at a duplicate record or an emptied file", async () => {
    await using dir = await tempDir();
    fill(new Journal(dir.path, SEGMENT_BYTES), 12);
    const [first = "", second = ""] = segments(dir.path).map((name) => join(dir.path, name));
    const whole = readFileSync(first);
    const count = readRecords(whole).records.length;
    appendFileSync(first, whole);
    expect(offsets(readJournal(dir.path))).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    writeFileSync(first, whole);
    expect(readJournal(dir.path)).toHaveLength(12);
    truncateSync(second, 0);
    expect(readJournal(dir.path)).toHaveLength(count);
    truncateSync(first, 0);
    expect(readJournal(dir.path)).toEqual([]);
  });
});
