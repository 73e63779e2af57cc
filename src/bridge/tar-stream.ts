const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const FILE_MODE = "0000600";

interface TarFile {
  readonly name: string;
  readonly pieces: () => Generator<string>;
}

/** A tar file (ustar) of texts, one after the other: no more than one of them is in memory. */
export function* tarOf(files: Iterable<TarFile>): Generator<Uint8Array> {
  for (const { name, pieces } of files) {
    // Whole before its length is told: a session may go on while it is sent.
    const bytes = Buffer.concat([...pieces()].map((piece) => Buffer.from(piece)));
    yield headerOf(name, bytes.byteLength);
    yield bytes;
    const rest = bytes.byteLength % BLOCK_BYTES;
    if (rest > 0) yield new Uint8Array(BLOCK_BYTES - rest);
  }
  yield new Uint8Array(2 * BLOCK_BYTES);
}

function headerOf(name: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(shortened(name), 0);
  header.write(FILE_MODE, 100);
  header.write("0000000", 108);
  header.write("0000000", 116);
  header.write(bytes.toString(8).padStart(11, "0"), 124);
  header.write("00000000000", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** The end tells files apart, so the beginning is what goes. */
function shortened(name: string): string {
  let kept = name;
  while (Buffer.byteLength(kept) > NAME_BYTES_MAX) kept = [...kept].slice(1).join("");
  return kept;
}
