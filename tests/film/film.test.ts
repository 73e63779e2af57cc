import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { animatedWebp, readAnimatedWebp } from "./write-webp.ts";

const ROOT = join(import.meta.dirname, "../..");
const BYTES_MAX = 2_000_000;

test("the film of the README is short, small, and described in text, too", () => {
  const film = readFileSync(join(ROOT, "docs/images/film.webp"));
  const { totalMs, frames } = readAnimatedWebp(film);
  expect(film.length).toBeLessThan(BYTES_MAX);
  expect(totalMs).toBeGreaterThanOrEqual(10_000);
  expect(totalMs).toBeLessThanOrEqual(20_000);
  expect(frames).toBeGreaterThan(20);
  const [, words = ""] =
    /!\[([^\]]*)\]\(docs\/images\/film\.webp\)/.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  expect(words.length).toBeGreaterThan(100);
});

test("a film has the size and the times of its patches, whose pixels are kept as they are", () => {
  const pixels = Buffer.from([1, 2, 3]);
  // A still picture: an extended header, which a frame must not repeat, and pixels of an odd length.
  const still = Buffer.concat([
    Buffer.from("RIFF????WEBP"),
    ...[Buffer.from("VP8X\u0002\0\0\0ab"), Buffer.from("VP8L\u0003\0\0\0"), pixels, Buffer.alloc(1)],
  ]);
  const place = { x: 4, y: 6, width: 300, height: 2 };
  const film = animatedWebp({ width: 1_920, height: 1_288 }, [
    { webp: still, ...place, forMs: 80 },
    { webp: still, ...place, forMs: 70_000 },
  ]);
  expect(film.readUInt32LE(4)).toBe(film.length - 8);
  expect(readAnimatedWebp(film)).toEqual({ frames: 2, totalMs: 70_080, width: 1_920, height: 1_288 });
  const frame = film.subarray(film.indexOf("ANMF") + 8);
  expect([...frame.subarray(0, 16)]).toEqual([2, 0, 0, 3, 0, 0, 0x2b, 1, 0, 1, 0, 0, 80, 0, 0, 0]);
  expect(frame.subarray(16, 28).equals(still.subarray(-12))).toBe(true);
  expect(() => animatedWebp(place, [{ webp: still, ...place, x: 3, forMs: 1 }])).toThrow("even pixel");
});
