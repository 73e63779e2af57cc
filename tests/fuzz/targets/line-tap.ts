import { z } from "zod";
import { parseMessage } from "../../../src/agents/acp/connection/wire-message.ts";
import { LineSplitter } from "../../../src/lib/line-splitter.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { asBytes, ByteText, bytesOf, byteText } from "../engine/bytes.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, someCuts, someText } from "../engine/mutate-text.ts";

const WORDS = [
  ...["\n", "\n", "\r\n", "\r", "\n\n", "{", "}", '{"id":1}', '{"__proto__":{"a":1}}', " ", "x".repeat(40)],
  ..."ä漢😀\ufeff\u2028".split("").map(byteText),
  ...["\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f", "\x80", "\0"],
];

const decoder = new TextDecoder();
const Input = z.object({ bytes: ByteText, cuts: z.array(z.number()), lineBytesMax: z.int().min(0) });

/** What agents write, as lines: however the bytes are cut, at whatever limit, and whatever bytes they are. */
export const lineTap = fuzzTarget({
  name: "line-tap",
  weight: 80,
  shape: Input,
  make(source, corpus) {
    const isNew = corpus.length === 0 || source.isOneIn(2);
    const text = isNew ? someText(source, WORDS, 24) : mutateText(source, source.pick(corpus).bytes, WORDS);
    const bytes = asBytes(text);
    return { bytes, cuts: someCuts(source, bytes.length), lineBytesMax: source.pick([0, 1, 10, 40, 1_000]) };
  },
  check({ bytes, cuts, lineBytesMax }) {
    const expected = splitPlainly(bytesOf(bytes), lineBytesMax);
    ruleSame(tapped(bytesOf(bytes), [], lineBytesMax), expected, "lines are what stands between newlines");
    ruleSame(tapped(bytesOf(bytes), cuts, lineBytesMax), expected, "lines are the same however the bytes are cut");
    for (const said of expected) {
      const message = typeof said === "string" ? parseMessage(said.trim()) : null;
      rule(message === null || !Array.isArray(message), "a message is an object or nothing");
    }
  },
});

/** In the order they came: lines, and how long those over the limit were. */
type Said = string | { readonly droppedBytes: number };

function tapped(bytes: Uint8Array, cuts: readonly number[], lineBytesMax: number): Said[] {
  const said: Said[] = [];
  const splitter = new LineSplitter({
    lineBytesMax,
    onLine: (line) => said.push(line),
    onTooLong: (droppedBytes) => said.push({ droppedBytes }),
  });
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    // A reader of a pipe may reuse its buffer.
    const chunk = Uint8Array.prototype.slice.call(bytes, from, cut);
    splitter.push(chunk);
    chunk.fill(0x21);
    from = Math.max(from, cut);
  }
  splitter.end();
  return said;
}

function splitPlainly(bytes: Uint8Array, lineBytesMax: number): Said[] {
  const said: Said[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from);
    const end = newline === -1 ? bytes.length : newline;
    const line = bytes.subarray(from, end);
    said.push(line.length > lineBytesMax ? { droppedBytes: line.length } : decoder.decode(line));
    from = end + 1;
  }
  return said;
}
