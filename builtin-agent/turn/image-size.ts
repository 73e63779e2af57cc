type Size = { readonly width: number; readonly height: number };

const PNG_HEADER_BYTES = 24;
const GIF_HEADER_BYTES = 10;
/** Segments that hold the size of a JPEG: SOF0 to SOF15 without the three that mean something else. */
const JPEG_FRAMES: ReadonlySet<number> = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf,
]);

/** How large a PNG, GIF or JPEG is; undefined for anything else, and for one that is cut off. */
export function imageSize(bytes: Buffer): Size | undefined {
  if (bytes.length >= PNG_HEADER_BYTES && bytes.toString("latin1", 1, 4) === "PNG")
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length >= GIF_HEADER_BYTES && bytes.toString("latin1", 0, 3) === "GIF")
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpegSize(bytes) : undefined;
}

function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (JPEG_FRAMES.has(bytes[at + 1] ?? 0))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}
