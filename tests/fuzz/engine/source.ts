const UINT32_VALUES = 2 ** 32;
const GOLDEN = 0x9e3779b9;

/** The number that all cases of a target start from. */
export function baseOf(seed: string, target: string): number {
  return Bun.hash.crc32(`${seed}/${target}`);
}

/**
 * Where every choice of a case comes from: the same seed, target and number give the same case, whatever ran before it.
 * Mulberry32, as in the other randomised tests.
 */
export class Source {
  #state: number;

  constructor(base: number, index: number) {
    this.#state = (base + Math.imul(index + 1, GOLDEN)) | 0;
  }

  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to the limit, without it. */
  below(limit: number): number {
    return Math.floor((this.uint32() / UINT32_VALUES) * limit);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** As many as chosen, each made anew. */
  list<Item>(least: number, most: number, make: () => Item): Item[] {
    return Array.from({ length: this.between(least, most) }, make);
  }
}
