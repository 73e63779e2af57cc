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
    const expected = (records.at(-1)?.offset ?? read.records[0]?.offset ?? 0) + (records.length > 0 ? 1 : 0);
    if (read.records.length > 0 && read.records[0]?.offset !== expected) break;
    records.push(...read.records);
    if (read.bytesRead < bytes.byteLength) break;
  }
  return records;
}
