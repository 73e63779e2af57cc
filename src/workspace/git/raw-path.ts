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

/** For people: bytes that are not UTF-8 become replacement characters. */
export function shownPath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
