import { z } from "zod";
import type { Part } from "../../../src/protocol/entry.ts";
import { shortenParts } from "../../../src/protocol/shorten-entry.ts";
import { extend, growthOf, SHOWN_CHARS_MAX, shorten } from "../../../src/protocol/shown-text.ts";
import { rule, ruleSame } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { someText } from "../engine/mutate-text.ts";

const WORDS = ["a", "\n", "😀", "\ud83d", "\ude00", "line\n", "…"];
const Piece = z.object({ text: z.string(), times: z.int().min(0).max(200_000) });
const Input = z.object({ pieces: z.array(Piece).max(8), other: Piece });

/** A long output as its two ends: what comes piece by piece is shown like what came at once. */
export const shownText = fuzzTarget({
  name: "shown-text",
  weight: 0.1,
  shape: Input,
  make(source) {
    const piece = () => {
      const text = someText(source, WORDS, 4);
      const chars = source.pick([1, 100, SHOWN_CHARS_MAX / 2, SHOWN_CHARS_MAX, SHOWN_CHARS_MAX + 1]);
      return { text, times: Math.max(0, Math.floor((chars + source.between(-2, 2)) / Math.max(1, text.length))) };
    };
    return { pieces: source.list(1, 4, piece), other: piece() };
  },
  check({ pieces, other }) {
    const texts = pieces.map(({ text, times }) => text.repeat(times));
    let whole = "";
    let shown = shorten("");
    for (const text of texts) {
      const before = shown;
      whole += text;
      shown = extend(shown, text);
      const { truncated } = shown;
      rule(shown.text.length <= SHOWN_CHARS_MAX, "what is shown is within the limit", () => shown.text.length);
      rule((truncated?.totalChars ?? shown.text.length) === whole.length, "it says how long the whole is");
      const headChars = truncated?.headChars ?? 0;
      rule(whole.startsWith(shown.text.slice(0, headChars)), "its beginning is the whole's");
      const tail = truncated ? shown.text.slice(shown.text.length - truncated.tailChars) : shown.text;
      rule(whole.endsWith(tail), "its end is the whole's");
      ruleSame(growthOf(before, whole), text, "growth is what has come since");
    }
    if (shorten(whole).truncated === undefined) ruleSame(shown, shorten(whole), "a short text is shown whole");
    checkParts(texts, other.text.repeat(other.times));
  },
});

function checkParts(texts: readonly string[], other: string): void {
  const parts = texts.map(
    (text, at): Part =>
      at % 2 === 0 ? { type: "text", text } : { type: "diff", path: "a", oldText: other, newText: text },
  );
  const short = shortenParts(parts);
  rule(short.parts.length === parts.length, "no part is lost");
  for (const [at, part] of short.parts.entries())
    if (!short.cut.includes(at)) ruleSame(part, parts[at], "a part that is not named as cut is as it was");
  ruleSame(shortenParts(short.parts).parts, short.parts, "what was shortened stays as it is");
}
