import { expect, it } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { roundsOf, type SeededRandom, seededRandom } from "../../../tests/support/seeded-random.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { Journal, readJournal } from "./journal.ts";
import { type JournalRecord, KIND, RecordReader } from "./journal-record.ts";

const ROUNDS_FULL = 1_000;
const ROUND_MS_MAX = 1_000;
const STEPS_MAX = 60;
const TEXTS = ["", "x", "é\uFEFF\u0000\n", "{}", "w".repeat(300), "z".repeat(5_000)];

/** Writes lines in both directions and notes in random order; returns the records and how far the last note reaches. */
function write(journal: Journal, random: SeededRandom): { records: JournalRecord[]; covered: number } {
  const records: JournalRecord[] = [];
  let covered = 0;
  const steps = random.between(1, STEPS_MAX);
  for (let step = 0; step < steps; step++) {
    const offset = records.length + 1;
    const text = random.pick(TEXTS);
    if (random.between(0, 9) > 0) {
      const kind = random.pick([KIND.in, KIND.out, KIND.tooLong]);
      journal.append(kind, text);
      records.push({ kind, offset, text });
    } else {
      covered = random.between(covered, offset - 1);
      journal.checkpoint(text, covered);
      records.push({ kind: KIND.note, offset, text: `${covered}\n${text}` });
    }
  }
  return { records, covered };
}

/** Everything sent to a server that attaches now, in pieces of any size. */
function sentTo(journal: Journal, random: SeededRandom): JournalRecord[] {
  const read: JournalRecord[] = [];
  const reader = new RecordReader((record) => read.push(record));
  const size = random.between(1, 4_000);
  for (let piece = journal.read(journal.start, size); piece; piece = journal.read(piece.next, size))
    reader.push(piece.bytes);
  return read;
}

function damage(dir: string, random: SeededRandom): void {
  const names = readdirSync(dir).sort();
  const isTorn = random.between(0, 1) === 1;
  // Only the growing file can be truncated; a disk may change any byte.
  const path = join(dir, isTorn ? (names.at(-1) ?? "") : random.pick(names));
  const bytes = readFileSync(path);
  const at = random.between(0, bytes.byteLength - 1);
  if (!isTorn) bytes[at] = (bytes[at] ?? 0) ^ random.between(1, 255);
  writeFileSync(path, isTorn ? bytes.subarray(0, at) : bytes);
}

it(
  "X-19 a journal with any history is read back unchanged; a truncated or changed one up to the damage, and never wrongly",
  async () => {
    const random = seededRandom("journals");
    const rounds = roundsOf(ROUNDS_FULL);
    const counts = { rounds, records: 0, dropped: 0, lostToDamage: 0 };
    for (let round = 0; round < rounds; round++) {
      await using dir = await tempDir();
      const journal = new Journal(dir.path, random.between(100, 3_000));
      const { records, covered } = write(journal, random);
      const kept = readJournal(dir.path);
      expect(kept).toEqual(records.slice(records.length - kept.length));
      // Records that no note covers are there, and so is the last note.
      expect(kept[0]?.offset ?? 1).toBeLessThanOrEqual(covered + 1);
      expect(sentTo(journal, random)).toEqual([...kept]);
      const onDisk = readdirSync(dir.path).reduce((sum, name) => sum + statSync(join(dir.path, name)).size, 0);
      expect(journal.bytes).toBe(onDisk);
      damage(dir.path, random);
      const healed = readJournal(dir.path);
      const first = kept.findIndex(({ offset }) => offset === healed[0]?.offset);
      expect(healed).toEqual(healed.length === 0 ? [] : kept.slice(first, first + healed.length));
      // Everything is stored elsewhere: one file remains.
      journal.checkpoint("", records.length);
      expect(readdirSync(dir.path)).toHaveLength(1);
      counts.records += records.length;
      counts.dropped += records.length - kept.length;
      counts.lostToDamage += kept.length - healed.length;
    }
    console.log(`journals: ${JSON.stringify(counts)}, 0 read wrongly`);
  },
  roundsOf(ROUNDS_FULL) * ROUND_MS_MAX,
);
