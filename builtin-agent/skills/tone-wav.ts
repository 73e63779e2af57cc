const SAMPLES_PER_SECOND = 8_000;
const SAMPLES = 800;
const TONE_HERTZ = 440;
const HEADER_BYTES = 44;

/** A tenth of a second of concert pitch, as the smallest real sound file. */
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
