import { describe, expect, test } from "bun:test";
import { readTerminalFrame, TerminalFrameWriter, type TerminalOutputFrame } from "./terminal-frames.ts";

const OUTPUT: TerminalOutputFrame = {
  terminalId: "0198c1d2-7a3f",
  offset: 5 * 1024 * 1024 * 1024,
  skipped: 0,
  size: null,
  bytes: Buffer.from("é漢🙂\u001b[1m"),
};

/** As the client's socket delivers it. */
function sent(output: TerminalOutputFrame, writer = new TerminalFrameWriter(output.terminalId)): ArrayBuffer {
  return writer.write(output).slice().buffer;
}

function read(data: ArrayBuffer) {
  const frame = readTerminalFrame(data);
  return frame && { ...frame, bytes: Buffer.from(frame.bytes) };
}

describe("[WS-39] a binary frame with output of a terminal", () => {
  test.each([
    OUTPUT,
    { ...OUTPUT, skipped: 3_000_000, size: { columns: 120, rows: 40 } },
    { ...OUTPUT, offset: 0, bytes: Buffer.alloc(0), size: { columns: 2, rows: 2 } },
    { ...OUTPUT, terminalId: "é".repeat(100) },
    { ...OUTPUT, offset: Number.MAX_SAFE_INTEGER, bytes: Buffer.from([0, 0xff, 0xc3, 0x80, 0xfe]) },
  ])("says what was written %#", (output) => {
    expect(read(sent(output))).toEqual({ ...output, bytes: Buffer.from(output.bytes) });
  });

  test("has the same bytes wherever a character or a sequence is cut", () => {
    const writer = new TerminalFrameWriter(OUTPUT.terminalId);
    for (let cut = 0; cut <= OUTPUT.bytes.byteLength; cut++) {
      const parts = [OUTPUT.bytes.subarray(0, cut), OUTPUT.bytes.subarray(cut)];
      const frames = parts.map((bytes) => read(sent({ ...OUTPUT, bytes }, writer)));
      expect(Buffer.concat(frames.map((frame) => frame?.bytes ?? Buffer.alloc(0)))).toEqual(Buffer.from(OUTPUT.bytes));
    }
  });

  test("after a longer one has nothing of it", () => {
    const writer = new TerminalFrameWriter(OUTPUT.terminalId);
    sent({ ...OUTPUT, bytes: Buffer.alloc(10_000, "x") }, writer);
    expect(read(sent(OUTPUT, writer))).toEqual({ ...OUTPUT, bytes: Buffer.from(OUTPUT.bytes) });
  });

  test("that ends within its head is refused, at every byte of it", () => {
    const whole = sent({ ...OUTPUT, bytes: Buffer.alloc(0) });
    for (let length = 0; length < whole.byteLength; length++)
      expect(readTerminalFrame(whole.slice(0, length))).toBeNull();
    expect(readTerminalFrame(whole)).not.toBeNull();
  });

  const changed = (change: (view: DataView) => void): ArrayBuffer => {
    const data = sent({ ...OUTPUT, size: { columns: 80, rows: 24 } });
    change(new DataView(data));
    return data;
  };
  test.each([
    ["of an unknown kind", changed((view) => view.setUint8(0, 2))],
    ["without an id", changed((view) => view.setUint8(1, 0))],
    ["with an id that is longer than the frame", changed((view) => view.setUint8(1, 255))],
    ["with a negative offset", changed((view) => view.setFloat64(2, -1))],
    ["with an offset that is no number", changed((view) => view.setFloat64(2, Number.NaN))],
    ["with half a byte skipped", changed((view) => view.setFloat64(10, 0.5))],
    ["with endlessly much skipped", changed((view) => view.setFloat64(10, Number.POSITIVE_INFINITY))],
    ["with columns and no rows", changed((view) => view.setUint16(20, 0))],
    ["with rows and no columns", changed((view) => view.setUint16(18, 0))],
  ])("%s is refused", (_, data) => {
    expect(readTerminalFrame(data)).toBeNull();
  });
});
