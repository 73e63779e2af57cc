import { z } from "zod";
import { EntryId } from "../../../src/protocol/ids.ts";
import { SearchHit } from "../../../src/protocol/search.ts";
import { openSearch } from "../../core/search-scene.ts";
import { assistantEntry } from "../../core/some-entries.ts";
import { rule } from "../engine/broken-rule.ts";
import { fuzzTarget } from "../engine/fuzz-target.ts";
import { mutateText, someText } from "../engine/mutate-text.ts";

const TEXTS: readonly string[] = [
  "The quick brown fox jumps over the lazy dog, twice.",
  "NEAR AND OR NOT are words of a query language; so is NEAR(a b, 5).",
  "日本語の文章 and ภาษาไทย and 한국어 stand without spaces",
  "C++ and C# and node.js and foo_bar and a-b-c and user@example.com",
  'It said "quoted words" and it\'s fine: 100% of /usr/bin/env * ^ { } ( )',
  "naïve café Straße İstanbul ﬁne 𝒻ancy \ud83d broken",
];
const WORDS = [
  ...TEXTS.join(" ").split(" "),
  ...['"', '"', "*", "^", "(", ")", ":", "-", "+", "{", "}", "NEAR", "NEAR(", "AND", "OR", "NOT", "text:", "''", ";--"],
  ...[" ", " ", " ", "\0", "\\", "%", "_", "日", "\u0301"],
];
const Input = z.object({ query: z.string(), from: z.int().min(0), word: z.int().min(0) });
let scene: ReturnType<typeof openScene> | null = null;

async function openScene() {
  const at = await openSearch();
  for (const [index, content] of TEXTS.entries()) await at.writer.writeTurn(assistantEntry(`e${index}`, { content }));
  return at;
}

/** Any input is a valid search, never an error of the index's language, and existing text is found. */
export const search = fuzzTarget({
  name: "search",
  weight: 0.1,
  shape: Input,
  make(source, corpus) {
    const isNew = corpus.length === 0 || !source.isOneIn(4);
    const query = isNew ? someText(source, WORDS, 6) : mutateText(source, source.pick(corpus).query, WORDS);
    return { query, from: source.below(TEXTS.length), word: source.below(20) };
  },
  async check({ query, from, word }) {
    scene ??= openScene();
    const at = await scene;
    for (const hit of await at.find(query)) {
      const parsed = SearchHit.safeParse(hit);
      rule(parsed.success, "a hit is valid", () => ({ hit, error: parsed.error }));
      rule(
        hit.snippet.every(({ text }) => text.isWellFormed() && text.length < 400),
        "an excerpt is short and whole",
      );
    }
    const words = (TEXTS[from] ?? "").split(" ");
    const wanted = (words[word % words.length] ?? "").toWellFormed();
    const found = (await at.find(wanted)).map(({ entryId }) => entryId);
    if (/[\p{L}\p{N}]/u.test(wanted))
      rule(found.includes(EntryId.parse(`e${from}`)), "a word that stands there is found", () => ({ wanted, found }));
  },
});
