import { describe, expect, test } from "bun:test";
import { alignSections } from "./align-sections.ts";

const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `k${from + index}`);
const show = (previous: readonly (readonly string[])[], next: readonly string[]) =>
  alignSections(previous, next, 4).map(({ reuse, from, to }) => [reuse, from, to]);

describe("sections", () => {
  test("a first list is cut from its beginning", () => {
    expect(show([], keys(0, 10))).toEqual([
      [null, 0, 4],
      [null, 4, 8],
      [null, 8, 10],
    ]);
  });

  test("newer rows fill the last section before a new one starts", () => {
    expect(show([keys(0, 4), keys(4, 6)], keys(0, 9))).toEqual([
      [0, 0, 4],
      [1, 4, 8],
      [null, 8, 9],
    ]);
  });

  test("older rows get their own sections, so that rows on screen are not moved", () => {
    expect(show([keys(6, 10), keys(10, 12)], keys(0, 12))).toEqual([
      [null, 0, 2],
      [null, 2, 6],
      [0, 6, 10],
      [1, 10, 12],
    ]);
  });

  test("from the first difference on, rows are cut again", () => {
    const next = [...keys(0, 6), "other", ...keys(7, 9)];
    expect(show([keys(0, 4), keys(4, 8)], next)).toEqual([
      [0, 0, 4],
      [1, 4, 8],
      [null, 8, 9],
    ]);
  });

  test("a shorter history keeps the sections it still has", () => {
    expect(show([keys(0, 4), keys(4, 8), keys(8, 12)], keys(4, 14))).toEqual([
      [1, 0, 4],
      [2, 4, 8],
      [null, 8, 10],
    ]);
    expect(show([keys(0, 4)], keys(20, 22))).toEqual([[null, 0, 2]]);
  });

  test("every row is in exactly one section, whatever came before", () => {
    const seed = 77;
    let state = seed;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
      return state % below;
    };
    let sections: string[][] = [];
    for (let round = 0; round < 300; round += 1) {
      const from = random(30);
      const list = keys(from, from + random(40)).filter(() => random(20) > 0);
      const ranges = alignSections(sections, list, 4);
      expect([seed, round, ranges.flatMap(({ from, to }) => list.slice(from, to))]).toEqual([seed, round, list]);
      expect(ranges.every(({ from, to }) => to > from && to - from <= 4)).toBe(true);
      const reused = ranges.flatMap(({ reuse }) => (reuse === null ? [] : [reuse]));
      expect(new Set(reused).size).toBe(reused.length);
      sections = ranges.map(({ from, to }) => list.slice(from, to));
    }
  });
});
