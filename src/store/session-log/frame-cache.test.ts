import { describe, expect, it } from "bun:test";
import type { LogFrame } from "../../ports/session-log.ts";
import { FrameCache } from "./frame-cache.ts";

function frame(seq: number, chars = 10): LogFrame {
  return { seq, type: "session:raw", json: "x".repeat(chars) };
}

function holding(first: number, last: number, chars = 10): FrameCache {
  const cache = new FrameCache();
  for (let seq = first; seq <= last; seq += 1) cache.push(frame(seq, chars));
  return cache;
}

function seqs(cache: FrameCache, after: number, limit = 10_000): number[] | null {
  return cache.after(after, limit)?.map(({ seq }) => seq) ?? null;
}

describe("FrameCache", () => {
  it("has no answer while it is empty: the disk must be read", () => {
    expect(seqs(new FrameCache(), 0)).toBeNull();
  });

  it("answers for cursors whose next fact it has, and for no older one", () => {
    const cache = holding(5, 8);
    expect([3, 4, 6, 8, 9].map((after) => seqs(cache, after))).toEqual([null, [5, 6, 7, 8], [7, 8], [], []]);
    expect(seqs(cache, 4, 2)).toEqual([5, 6]);
  });

  it("stays bounded by count and by size, and never answers with a gap", () => {
    for (const cache of [holding(1, 3_000), holding(1, 3_000, 5_000)]) {
      const held = [...Array(3_000).keys()].map((after) => seqs(cache, after));
      const oldest = held.findIndex((found) => found !== null);
      expect(oldest).toBeGreaterThan(1_900);
      expect(held[oldest]).toEqual(Array.from({ length: 3_000 - oldest }, (_, index) => oldest + 1 + index));
    }
  });

  it("holds not even one frame that is larger than all it may hold", () => {
    expect(seqs(holding(1, 1, 3_000_000), 0)).toBeNull();
  });
});
