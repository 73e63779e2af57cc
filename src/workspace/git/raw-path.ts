/**
 * A path as Git and the file system store it, relative to a directory, one character for each byte.
 * File names are bytes: a name that is not UTF-8 would not survive a conversion to text and back.
 */
export type RawPath = string & { readonly __rawPath: true };

export function rawPath(path: string): RawPath {
  return Buffer.from(path, "utf8").toString("latin1") as RawPath;
}

/** The paths of output that ends each of them with a zero byte. */
export function splitRawPaths(output: Buffer): RawPath[] {
  const text = output.toString("latin1");
  return text === "" ? [] : (text.replace(/\0$/, "").split("\0") as RawPath[]);
}

/** What Git reads with `-z --stdin`. */
export function joinRawPaths(paths: readonly RawPath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

/** For system calls. */
export function absolutePath(directory: string, path: RawPath): Buffer {
  return Buffer.concat([Buffer.from(directory, "utf8"), Buffer.from("/"), Buffer.from(path, "latin1")]);
}

/** For display: bytes that are not UTF-8 become replacement characters. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

const SURROGATES = 0xdc00;
const INVALID = "\ufffd";

/** For clients, which send it back: a byte that is not UTF-8 is a lone surrogate, so every name survives the way there and back. */
export function wirePath(path: RawPath): string {
  const text = shownPath(path);
  if (!text.includes(INVALID)) return text;
  const bytes = Buffer.from(path, "latin1");
  let result = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    result +=
      length === 0 ? String.fromCharCode(SURROGATES + (bytes[at] ?? 0)) : bytes.toString("utf8", at, at + length);
    at += Math.max(length, 1);
  }
  return result;
}

export function fromWirePath(path: string): RawPath {
  let result = "";
  for (const character of path) {
    const code = character.charCodeAt(0);
    const isByte = character.length === 1 && code >= SURROGATES + 0x80 && code <= SURROGATES + 0xff;
    result += isByte ? String.fromCharCode(code - SURROGATES) : Buffer.from(character, "utf8").toString("latin1");
  }
  return result as RawPath;
}

const SEQUENCE_BYTES_MAX = 4;

/** How many bytes the character that starts here has; 0 when none does. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= SEQUENCE_BYTES_MAX && at + length <= bytes.length; length++) {
    const text = bytes.toString("utf8", at, at + length);
    const isWhole = [...text].length === 1 && Buffer.from(text, "utf8").equals(bytes.subarray(at, at + length));
    if (isWhole) return length;
  }
  return 0;
}
