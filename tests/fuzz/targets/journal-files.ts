import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { pastOf } from "../../../src/agents/holder/held-process.ts";
import { readJournal, SEGMENT_PREFIX } from "../../../src/agents/holder/journal.ts";
import { encodeRecord, type JournalRecord, KIND } from "../../../src/agents/holder/journal-record.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { Damage, damaged, someDamage } from "./journal-damage.ts";

const Line = z.object({ kind: z.enum(["in", "out", "note"]), text: z.string() });
const Input = z.object({
  /** The content of each file. */
  files: z.array(z.array(Line).min(1)).max(6),
  /** The number of the first record: those before it were covered by a note and are gone. */
  first: z.int().min(1),
  /** Which file, by its place, and what happens to it. */
  damage: z.array(z.object({ file: z.int().min(0), ...Damage.shape })),
});

/** The journal in its files, damaged in any of them: what is read is where the writing began, without a gap. */
export const journalFiles = fuzzTarget({
  name: "journal-files",
  weight: 0.05,
  shape: Input,
  make: (source) => ({
    files: source.list(1, 4, () =>
      source.list(1, 3, () => ({
        kind: source.pick(["in", "in", "out", "note"] as const),
        text: source.pick(["", "a", "some words", "x".repeat(60)]),
      })),
    ),
    first: source.pick([1, 1, 7]),
    damage: source.list(0, 2, () => ({ file: source.below(4), ...someDamage(source, source.pick([0, 20, 200])) })),
  }),
  check({ files, first, damage }) {
    let offset = first;
    const written = files.map((lines) =>
      lines.map(({ kind, text }): JournalRecord => {
        const body = kind === "note" ? `${offset - 1}\n${text}` : text;
        return { kind: KIND[kind], offset: offset++, text: body };
      }),
    );
    const dir = mkdtempSync(join(tmpdir(), "liminal-fuzz-"));
    try {
      for (const [at, records] of written.entries()) {
        const bytes = damaged(
          Buffer.concat(records.map(encodeRecord)),
          damage.filter(({ file }) => file === at),
        );
        writeFileSync(join(dir, `${SEGMENT_PREFIX}${String(at + 1).padStart(9, "0")}`), bytes);
      }
      const all = written.flat();
      const read = readJournal(dir);
      if (damage.length === 0) ruleSame(read, all, "an undamaged journal is read whole");
      ruleSame(read, all.slice(0, read.length), "what is read is the beginning of what was written");
      const sound = written.slice(0, Math.min(files.length, ...damage.map(({ file }) => file))).flat();
      ruleSame(read.slice(0, sound.length), sound, "files before the damaged one are read whole");
      rule(pastOf(read).length <= read.length, "the past is no more than what was read");
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
});
