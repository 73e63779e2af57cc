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

/** Chance that can be repeated: the same seed gives the same texts and the same cuts. */
export class RandomText {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A number from 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  fragments(countMax: number): string {
    return Array.from({ length: 1 + Math.floor(this.next() * countMax) }, () => this.pick(FRAGMENTS)).join("");
  }

  composition(cases: readonly string[], countMax: number): string {
    const count = 1 + Math.floor(this.next() * countMax);
    return Array.from({ length: count }, () => this.pick(cases) + this.pick(SEPARATORS)).join("");
  }

  /** Cuts a text: character by character, in small chunks as models send them, or in large ones. */
  split(text: string): string[] {
    const sizeMax = this.pick([1, 5, 20, 200]);
    const chunks: string[] = [];
    for (let from = 0; from < text.length; ) {
      const size = 1 + Math.floor(this.next() * sizeMax);
      chunks.push(text.slice(from, from + size));
      from += size;
    }
    return chunks;
  }
}
