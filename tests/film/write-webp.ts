/** A part of the picture that changes, as a WebP file of its own. */
export interface Patch {
  readonly webp: Uint8Array;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly forMs: number;
}

const LOOPS_FOREVER = 0;
/** In the header of the file: it has several pictures, with transparent parts. */
const IS_ANIMATED = 0x02 | 0x10;
/** Of a patch: what was there shows through it, and it stays. */
const BLENDS_AND_STAYS = 0x00;
const FILE_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/** Puts patches into one animated WebP file (RIFF container: VP8X, ANIM, then an ANMF for each). */
export function animatedWebp(size: { readonly width: number; readonly height: number }, patches: readonly Patch[]) {
  const header = [IS_ANIMATED, 0, 0, 0, ...uint24(size.width - 1), ...uint24(size.height - 1)];
  const whiteBackground = [255, 255, 255, 255];
  const chunks = Buffer.concat([
    chunk("VP8X", Buffer.from(header)),
    chunk("ANIM", Buffer.from([...whiteBackground, LOOPS_FOREVER, 0])),
    ...patches.map((patch) => chunk("ANMF", frameOf(patch))),
  ]);
  return Buffer.concat([Buffer.from("RIFF"), uint32(chunks.length + 4), Buffer.from("WEBP"), chunks]);
}

function frameOf({ webp, x, y, width, height, forMs }: Patch): Buffer {
  // The format counts in steps of two pixels.
  if (x % 2 !== 0 || y % 2 !== 0) throw new Error(`a patch begins at an even pixel, not at ${x}, ${y}`);
  const numbers = [x / 2, y / 2, width - 1, height - 1, forMs].flatMap(uint24);
  return Buffer.concat([Buffer.from([...numbers, BLENDS_AND_STAYS]), ...pixelsOf(webp)]);
}

/** The chunks of a still picture that hold pixels. */
function pixelsOf(webp: Uint8Array): Buffer[] {
  return readChunks(Buffer.from(webp).subarray(FILE_HEADER_BYTES))
    .filter(({ name }) => ["ALPH", "VP8 ", "VP8L"].includes(name))
    .map(({ name, bytes }) => chunk(name, bytes));
}

function readChunks(all: Buffer): { readonly name: string; readonly bytes: Buffer }[] {
  const found = [];
  for (let at = 0; at + CHUNK_HEADER_BYTES <= all.length; ) {
    const length = all.readUInt32LE(at + 4);
    const start = at + CHUNK_HEADER_BYTES;
    found.push({ name: all.toString("latin1", at, at + 4), bytes: all.subarray(start, start + length) });
    at = start + length + (length % 2);
  }
  return found;
}

/** How long an animated WebP file is shown, and how large it is. */
export function readAnimatedWebp(file: Buffer): {
  readonly frames: number;
  readonly totalMs: number;
  readonly width: number;
  readonly height: number;
} {
  const chunks = readChunks(file.subarray(FILE_HEADER_BYTES));
  const header = chunks.find(({ name }) => name === "VP8X")?.bytes;
  const times = chunks.filter(({ name }) => name === "ANMF").map(({ bytes }) => bytes.readUIntLE(12, 3));
  if (header === undefined || times.length === 0) throw new Error("this is no animated WebP file");
  const [width, height] = [header.readUIntLE(4, 3) + 1, header.readUIntLE(7, 3) + 1];
  return { frames: times.length, totalMs: times.reduce((sum, ms) => sum + ms, 0), width, height };
}

function chunk(name: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), uint32(bytes.length), bytes, Buffer.alloc(bytes.length % 2)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint24(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff];
}
