const BLOCK_BYTES = 512;
const KINDS = { file: "0", hardLink: "1", link: "2", device: "3" } as const;

export interface TarEntry {
  readonly name: string;
  readonly kind?: keyof typeof KINDS;
  readonly text?: string;
  /** Where a link leads. */
  readonly target?: string;
}

/** A gzipped archive with exactly these entries, also such as no tool would write. */
export function tarArchive(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const blocks = entries.flatMap((entry) => [headerOf(entry), padded(Buffer.from(entry.text ?? ""))]);
  return Bun.gzipSync(new Uint8Array(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)])));
}

function headerOf({ name, kind = "file", text = "", target = "" }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, bytes: number) =>
    header.write(`${value.toString(8).padStart(bytes - 1, "0")}\0`, at, "ascii");
  header.write(name, 0, 100);
  octal(0o755, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(Buffer.byteLength(text), 124, 12);
  octal(0, 136, 12);
  header.write("        ", 148, "ascii");
  header.write(KINDS[kind], 156, "ascii");
  header.write(target, 157, 100);
  header.write("ustar\x0000", 257, "ascii");
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES)]);
}
