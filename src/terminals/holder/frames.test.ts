import { describe, expect, test } from "bun:test";
import { BrokenFrameError, encodeFrame, encodeOutput, FRAME, FrameReader, outputOf, spaceForOutput } from "./frames.ts";

const PIECES = ["", "a", "0123456789".repeat(20), "é漢🙂"].map((text) => Buffer.from(text));

/** What arrives if the socket delivers `bytes` in pieces of one size. */
function received(bytes: Uint8Array, pieceBytes: number): { kind: number; content: Buffer }[] {
  const frames: { kind: number; content: Buffer }[] = [];
  const reader = new FrameReader((kind, content) => void frames.push({ kind, content: Buffer.from(content) }));
  const delivered = new Uint8Array(pieceBytes);
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    // A socket uses its buffer again.
    delivered.set(piece);
    reader.push(delivered.subarray(0, piece.byteLength));
    delivered.fill(0xff);
  }
  return frames;
}

describe("frames between server and terminal holder", () => {
  test("arrive whole, however the socket cuts them", () => {
    const space = spaceForOutput(64);
    const sent = PIECES.flatMap((bytes, index) => [
      encodeFrame(FRAME.input, bytes),
      // The longer ones do not fit into the space.
      encodeOutput({ offset: index, skipped: 0, size: null, bytes }, space).slice(),
    ]);
    const stream = Buffer.concat(sent);
    for (let pieceBytes = 1; pieceBytes <= stream.byteLength; pieceBytes++) {
      const frames = received(stream, pieceBytes);
      const inputs = frames.filter(({ kind }) => kind === FRAME.input).map(({ content }) => content);
      const outputs = frames.filter(({ kind }) => kind === FRAME.output).map(({ content }) => outputOf(content));
      expect(inputs).toEqual(PIECES);
      expect(outputs.map(({ offset }) => offset)).toEqual(PIECES.map((_, index) => index));
      expect(outputs.map(({ bytes }) => Buffer.from(bytes))).toEqual(PIECES);
    }
  });

  test("that are longer than any of ours are refused", () => {
    const head = encodeFrame(FRAME.output).slice();
    new DataView(head.buffer).setUint32(0, 1024 * 1024 * 1024);
    expect(() => received(head, head.byteLength)).toThrow(BrokenFrameError);
    expect(() => received(head, 1)).toThrow(BrokenFrameError);
  });
});
