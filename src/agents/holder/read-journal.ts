import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SEGMENT_PREFIX } from "./journal.ts";
import { type JournalRecord, readRecords } from "./journal-record.ts";

/** What a holder that is gone has left: every whole record, in order, up to the first that cannot be trusted. */
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
    // A file is made for a record: one that has none, or more than its records, has lost some.
    if (records.length === before || read.bytesRead < bytes.byteLength) break;
  }
  return records;
}
