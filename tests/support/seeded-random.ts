import { createHash } from "node:crypto";

/** What `LIMINAL_ROUNDS` counts against: at this number every randomised test repeats in full. */
const ROUNDS_FULL = 20;
const ROUNDS_DEFAULT = ROUNDS_FULL / 10;
const UINT32_VALUES = 2 ** 32;

const seed = process.env["LIMINAL_SEED"] ?? String(Math.floor(Math.random() * UINT32_VALUES));

/** Chance that can be repeated: the same seed and label give the same choices. The seed is printed. */
export function seededRandom(label: string): SeededRandom {
  console.log(`seed ${seed} for ${label} (repeat with LIMINAL_SEED=${seed})`);
  return new SeededRandom(`${seed}/${label}`);
}

/** How often to repeat a test whose full number of rounds is `full`. */
export function roundsOf(full: number): number {
  const rounds = Number(process.env["LIMINAL_ROUNDS"] ?? ROUNDS_DEFAULT);
  return Math.max(1, Math.round((full * rounds) / ROUNDS_FULL));
}

/** Mulberry32: small, even enough for choosing what a test does next. */
export class SeededRandom {
  #state: number;

  constructor(text: string) {
    this.#state = createHash("sha256").update(text).digest().readUInt32LE(0);
  }

  /** In [0, 1). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32_VALUES;
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }
}
