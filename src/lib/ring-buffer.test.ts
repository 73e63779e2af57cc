import { describe, expect, it } from "bun:test";
import { RingBuffer } from "./ring-buffer.ts";

function filled(itemsMax: number, count: number): number[] {
  const buffer = new RingBuffer<number>(itemsMax);
  for (let item = 1; item <= count; item += 1) buffer.push(item);
  return buffer.toArray();
}

describe("RingBuffer", () => {
  it("has nothing before the first item", () => {
    expect(filled(3, 0)).toEqual([]);
  });

  it("keeps what fits, oldest first", () => {
    expect(filled(3, 2)).toEqual([1, 2]);
    expect(filled(3, 3)).toEqual([1, 2, 3]);
  });

  it("drops the oldest, wherever it stands by then", () => {
    for (let count = 4; count <= 20; count += 1) expect(filled(3, count)).toEqual([count - 2, count - 1, count]);
  });

  it("hands out a copy", () => {
    const buffer = new RingBuffer<number>(2);
    buffer.push(1);
    buffer.toArray().push(99);
    expect(buffer.toArray()).toEqual([1]);
  });
});
