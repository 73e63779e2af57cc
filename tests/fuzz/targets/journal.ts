import { z } from "zod";
import {
  BrokenRecordError,
  encodeRecord,
  type JournalRecord,
  KIND,
  RecordReader,
  readRecords,
} from "../../../src/agents/holder/journal-record.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { someCuts, someText } from "../engine/mutate-text.ts";
import { Damage, damaged, someDamage } from "./journal-damage.ts";

const WORDS = ["a", '{"id":1}', "ä漢😀", "\n", "\ud800", "\ufeff", "x".repeat(50), "\0"];
const KINDS = [KIND.in, KIND.out, KIND.note, KIND.tooLong, KIND.exit];
const Input = z.object({
  texts: z.array(z.string()).max(40),
  damage: z.array(Damage),
  cuts: z.array(z.number()),
});

/** A journal after a crash or a bad disk: everything before the damage is read, and nothing that was not written. */
export const journal = fuzzTarget({
  name: "journal",
  weight: 8,
  shape: Input,
  make(source) {
    const texts = source.list(0, 6, () => someText(source, WORDS, 3));
    const length = texts.reduce((sum, text) => sum + 17 + Buffer.byteLength(text), 0);
    return { texts, damage: source.list(0, 2, () => someDamage(source, length)), cuts: someCuts(source, length) };
  },
  check({ texts, damage, cuts }) {
    const written = texts.map(
      (text, at): JournalRecord => ({
        kind: KINDS[at % KINDS.length] ?? KIND.in,
        offset: at + 1,
        text: text.toWellFormed(),
      }),
    );
    const frames = written.map(encodeRecord);
    const whole = Buffer.concat(frames);
    const bytes = damaged(whole, damage);
    const intact = intactFrames(frames, whole, bytes);
    const { records, bytesRead } = readRecords(bytes);
    ruleSame(records.slice(0, intact), written.slice(0, intact), "all that stands before the damage is read");
    for (const record of records)
      rule(
        written.some((one) => Bun.deepEquals(one, record)),
        "only what was written is read",
        () => record,
      );
    rule(bytesRead <= bytes.byteLength, "no more is read than there is");
    ruleSame(readRecords(bytes.subarray(0, bytesRead)), { records, bytesRead }, "a healed journal reads the same");
    ruleSame(pushed(bytes, cuts), records, "records are the same however the bytes are cut");
  },
});

function pushed(bytes: Uint8Array, cuts: readonly number[]): JournalRecord[] {
  const records: JournalRecord[] = [];
  const reader = new RecordReader((record) => records.push(record));
  let from = 0;
  try {
    for (const cut of [...cuts, bytes.byteLength]) {
      reader.push(bytes.subarray(from, Math.max(from, cut)));
      from = Math.max(from, cut);
    }
  } catch (error) {
    if (!(error instanceof BrokenRecordError)) throw error;
  }
  return records;
}

/** How many records lie whole and unchanged at the start. */
function intactFrames(frames: readonly Uint8Array[], whole: Uint8Array, bytes: Uint8Array): number {
  let same = 0;
  while (same < whole.length && same < bytes.length && whole[same] === bytes[same]) same += 1;
  let count = 0;
  for (let end = 0; count < frames.length; count += 1) {
    end += frames[count]?.byteLength ?? 0;
    if (end > same) break;
  }
  return count;
}
