import { z } from "zod";
import type { Source } from "../engine/source.ts";

/** What crashes and disks do to a file. */
export const Damage = z.object({
  what: z.enum(["cut", "flip", "zero", "repeat", "remove", "garbage"]),
  at: z.int().min(0),
  length: z.int().min(0).max(10_000),
});
type Damage = z.infer<typeof Damage>;

export function someDamage(source: Source, length: number): Damage {
  return {
    what: source.pick(["cut", "cut", "flip", "flip", "zero", "repeat", "remove", "garbage"] as const),
    at: source.below(length + 1),
    length: source.pick([1, 1, 2, 8, 17, 60]),
  };
}

export function damaged(bytes: Uint8Array, damage: readonly Damage[]): Uint8Array {
  return damage.reduce(damagedOnce, bytes);
}

function damagedOnce(bytes: Uint8Array, { what, at, length }: Damage): Uint8Array {
  const copy = Uint8Array.prototype.slice.call(bytes);
  const from = Math.min(at, bytes.byteLength);
  const to = Math.min(bytes.byteLength, from + length);
  switch (what) {
    case "cut":
      return copy.subarray(0, from);
    case "flip":
      if (from < copy.byteLength) copy[from] = (copy[from] ?? 0) ^ (1 << (length % 8));
      return copy;
    case "zero":
      return copy.fill(0, from, to);
    case "repeat":
      return Buffer.concat([copy.subarray(0, to), copy.subarray(from)]);
    case "remove":
      return Buffer.concat([copy.subarray(0, from), copy.subarray(to)]);
    case "garbage":
      for (let place = from; place < to; place += 1) copy[place] = (place * 151 + length) & 0xff;
      return copy;
    default:
      return what satisfies never;
  }
}
