import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const FOLDER = join(import.meta.dirname, "../corpus");
/** Inputs to start from, one file for all of them. */
const SAMPLES = "samples.json";

export interface CorpusInput {
  /** Its file, for debugging. */
  readonly file: string;
  readonly input: unknown;
}

const Regression = z.object({ rule: z.string(), input: z.unknown() });

/** Samples to start from, and what was once found: all of it is replayed, and changed into new cases. */
export function readCorpus(target: string): CorpusInput[] {
  const folder = join(FOLDER, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const content: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
      if (file !== SAMPLES) return [{ file, input: Regression.parse(content).input }];
      return z
        .array(z.unknown())
        .parse(content)
        .map((input) => ({ file, input }));
    });
}

/** Keeps a finding for good; returns where. */
export function keepFinding(target: string, rule: string, input: unknown): string {
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  const json = `${JSON.stringify({ rule, input }, null, 2)}\n`;
  const path = join(folder, `found-${Bun.hash.crc32(json).toString(16).padStart(8, "0")}.json`);
  writeFileSync(path, json);
  return path;
}
