import { isEmpty, type Skill } from "./skill.ts";

/** A generated image. */
export const image: Skill = {
  name: "image",
  usage: "image",
  summary: "Paints a small picture.",
  accepts: isEmpty,
  run(turn) {
    turn.say("Dawn, in 160 by 96 pixels:\n\n");
    turn.sayBlock({ type: "image", mimeType: "image/png", data: gradientPng(160, 96).toString("base64") });
  },
};

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BYTES_PER_PIXEL = 3;
const TOP = [38, 30, 84] as const;
const BOTTOM = [255, 176, 112] as const;

/** A dawn sky as a real PNG, without a file or network. */
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

/** PNG needs the zlib frame around the output of `Bun.deflateSync`. */
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

const SAMPLES_PER_SECOND = 8_000;
const SAMPLES = 800;
const TONE_HERTZ = 440;
const HEADER_BYTES = 44;

/** A tenth of a second of concert pitch as a small WAV file. */
export function toneWav(): Buffer {
  const wav = Buffer.alloc(HEADER_BYTES + SAMPLES);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(HEADER_BYTES - 8 + SAMPLES, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(SAMPLES, 40);
  for (let index = 0; index < SAMPLES; index += 1) {
    const angle = (2 * Math.PI * TONE_HERTZ * index) / SAMPLES_PER_SECOND;
    wav[HEADER_BYTES + index] = Math.round(128 + 80 * Math.sin(angle));
  }
  return wav;
}
