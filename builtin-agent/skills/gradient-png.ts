const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BYTES_PER_PIXEL = 3;
const TOP = [38, 30, 84] as const;
const BOTTOM = [255, 176, 112] as const;

/** A dawn sky as a real PNG, so that pictures need no file and no network. */
export function gradientPng(width: number, height: number): Buffer {
  const rowBytes = 1 + width * BYTES_PER_PIXEL;
  const raw = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const share = y / height + (0.15 * (x - width / 2)) / width;
      for (const [channel, top] of TOP.entries()) {
        const bottom = BOTTOM[channel] ?? 0;
        raw[y * rowBytes + 1 + x * BYTES_PER_PIXEL + channel] = Math.round(top + (bottom - top) * clamp(share));
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = zlibFrame(raw);
  return Buffer.concat([PNG_SIGNATURE, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** PNG wants the zlib frame around what `Bun.deflateSync` makes. */
function zlibFrame(raw: Uint8Array<ArrayBuffer>): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.adler32(raw));
  return Buffer.concat([Buffer.from([0x78, 0x9c]), Bun.deflateSync(raw), checksum]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([length, body, checksum]);
}
