import { describe, expect, it } from "bun:test";
import { commonVersion, FromServer } from "./contract.ts";
import {
  BrokenFrameError,
  CONTROL,
  encodeFrame,
  FrameReader,
  MESSAGE_BYTES_MAX,
  PIECE_BYTES_MAX,
  piecesOf,
} from "./frames.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytesOf = (words: string) => new TextEncoder().encode(words);

function readAll(chunks: readonly Uint8Array[]): string[] {
  const found: string[] = [];
  const reader = new FrameReader(({ channel, bytes }) => found.push(`${channel} ${text(bytes)}`));
  for (const chunk of chunks) reader.push(chunk);
  return found;
}

describe("[SC-30] frames of the contract", () => {
  const whole = Buffer.concat([
    encodeFrame({ channel: CONTROL, bytes: bytesOf('{"type":"hello"}') }),
    encodeFrame({ channel: 7, bytes: bytesOf("ä line\n") }),
    encodeFrame({ channel: 0xffff_ffff, bytes: new Uint8Array() }),
  ]);
  const expected = ['0 {"type":"hello"}', "7 ä line\n", "4294967295 "];

  it("are read however they are cut", () => {
    for (let at = 0; at <= whole.length; at++)
      expect(readAll([whole.subarray(0, at), whole.subarray(at)])).toEqual(expected);
    expect(readAll([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it("are refused with any byte changed, and before their bytes arrive if they are too long", () => {
    const frame = encodeFrame({ channel: 3, bytes: bytesOf("one line") });
    for (let at = 4; at < frame.length; at++) {
      const changed = frame.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      // A changed channel may allow another length; the checksum refuses it.
      expect(() => readAll([changed])).toThrow(BrokenFrameError);
    }
    const head = (channel: number, length: number) => {
      const bytes = new Uint8Array(12);
      new DataView(bytes.buffer).setUint32(0, length, true);
      new DataView(bytes.buffer).setUint32(8, channel, true);
      return bytes;
    };
    expect(() => readAll([head(1, PIECE_BYTES_MAX + 1)])).toThrow(BrokenFrameError);
    expect(() => readAll([head(CONTROL, MESSAGE_BYTES_MAX + 1)])).toThrow(BrokenFrameError);
  });

  it("carry a long line in pieces, in order", () => {
    const line = "x".repeat(2 * PIECE_BYTES_MAX + 1);
    const pieces = [...piecesOf(5, bytesOf(line))];
    expect(pieces.length).toBe(3);
    expect(
      readAll(pieces)
        .map((piece) => piece.slice("5 ".length))
        .join(""),
    ).toBe(line);
  });
});

describe("[SC-30] versions of the contract", () => {
  it("are negotiated to the newest common one", () => {
    expect(commonVersion([3, 2], [2, 1])).toBe(2);
    expect(commonVersion([2, 1], [3, 2])).toBe(2);
    expect(commonVersion([2, 1], [2, 1])).toBe(2);
    expect(commonVersion([3, 2], [1])).toBeNull();
  });

  it("refuse what is not in the contract", () => {
    const open = { type: "open", channel: 1, process: "one", start: null };
    expect(FromServer.safeParse(open).success).toBe(true);
    expect(FromServer.safeParse({ ...open, process: "../one" }).success).toBe(false);
    expect(FromServer.safeParse({ ...open, channel: 0 }).success).toBe(false);
    expect(FromServer.safeParse({ type: "format-the-disk" }).success).toBe(false);
  });
});
