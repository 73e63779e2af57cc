import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";

/** Pieces that mean something to markdown, alone or beside each other; random sequences of them meet in odd ways. */
const FRAGMENTS: readonly string[] = [
  ..."a|foo|bar baz| |  |   |    |- |* |+ |1. |2) |10. |> |>|# |## |#|---|***|===|--|=|```|```js|~~~|````|`|``|*|**|_|__|~~|~".split(
    "|",
  ),
  ...'[foo]¦[foo]: /url¦[foo]: /u "t"¦"t"¦\'t¦(t)¦[bar]:¦[¦]¦](¦](/x)¦)¦![¦[a][foo]¦[foo\nbar]'.split("¦"),
  ..."<div>¦</div>¦<!--¦-->¦<pre>¦</pre>¦<script>¦</script>¦<b>¦<a href¦<?¦?>¦<![CDATA[".split("¦"),
  ..."| a | b |¦|---|---|¦| c | d |¦|¦a | b¦--- | ---¦- [ ] ¦- [x] t¦[ ]".split("¦"),
  ..."\\¦\\*¦&amp;¦&#35;¦http://x.y¦<http://a.b>¦www.x.com¦!¦  \n¦\\\n¦\t¦\r\n¦\r".split("¦"),
  ..."\n¦\n¦\n¦\n\n¦\n\n¦\n\n\n¦\n- b¦\n  c¦\n    d¦\n> q¦\n1. x¦\n   y".split("¦"),
];
const SEPARATORS: readonly string[] = ["\n\n", "\n\n", "\n", "", " ", "\n\n\n", "\r\n\r\n", "\n> ", "\n- ", "\n  "];

/** Chance that can be repeated: the run's seed and a label give the same texts and the same cuts. */
export class RandomText {
  readonly #random: SeededRandom;

  constructor(label: string) {
    this.#random = seededRandom(`markdown ${label}`);
  }

  pick<Item>(items: readonly Item[]): Item {
    return this.#random.pick(items);
  }

  fragments(countMax: number): string {
    return Array.from({ length: this.#random.between(1, countMax) }, () => this.pick(FRAGMENTS)).join("");
  }

  composition(cases: readonly string[], countMax: number): string {
    return Array.from(
      { length: this.#random.between(1, countMax) },
      () => this.pick(cases) + this.pick(SEPARATORS),
    ).join("");
  }

  /** Cuts a text: character by character, in small chunks as models send them, or in large ones. */
  split(text: string): string[] {
    const sizeMax = this.pick([1, 5, 20, 200]);
    const chunks: string[] = [];
    for (let from = 0; from < text.length; ) {
      const size = this.#random.between(1, sizeMax);
      chunks.push(text.slice(from, from + size));
      from += size;
    }
    return chunks;
  }
}
