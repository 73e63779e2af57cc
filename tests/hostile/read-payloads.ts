import { readFileSync } from "node:fs";
import { join } from "node:path";

const CORPUS = join(import.meta.dirname, "payloads.txt");
/** A line that names what follows. */
const HEADING = /^# [a-z ]+$/;
const LETTER = /\[\[U\+([0-9A-F]{4,6})\]\]/g;
const REPEATED = /\[\[(\d+) times (.+?)\]\]/g;

/** Vectors of the well-known lists, one per line; `[[U+0000]]` stands for a letter and `[[9 times x]]` for many. */
export function readPayloads(): readonly string[] {
  return readFileSync(CORPUS, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !HEADING.test(line))
    .map((line) =>
      line
        .replace(LETTER, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
        .replace(REPEATED, (_, times: string, text: string) => text.repeat(Number(times))),
    );
}
