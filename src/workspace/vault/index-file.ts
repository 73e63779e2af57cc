import { createHash } from "node:crypto";
import type { RawPath } from "../git/raw-path.ts";

const HEADER_BYTES = 12;
const SIGNATURE = "DIRC";
/** Times, device, inode, mode, owner and size come before the object's id. */
const MODE_AT = 24;
const SIZE_AT = 36;
const ID_AT = 40;
const ENTRY_ALIGNMENT = 8;
const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
const SKIP_WORKTREE = 0x4000;
const INTENT_TO_ADD = 0x2000;
const PATH_BYTES_MAX = 64 * 1024;
const ATTRIBUTES_NAME = ".gitattributes";

/**
 * Reads the entries of a Git index one after the other, from its bytes: a large repository has a hundred thousand, and an
 * object for each would cost more than all of Git's work. Versions 2 to 4. Throws for what it does not know, such as an
 * index in two files or with whole directories as entries.
 */
export class IndexReader {
  readonly count: number;
  mode = 0;
  /** The lower 32 bits of what the file had. */
  size = 0;
  /** Neither switched off nor declared unchanged by the user. */
  isPlain = false;
  isMerged = false;
  /** It has a path and no content yet. */
  isIntentToAdd = false;
  readonly #bytes: Buffer;
  readonly #idBytes: number;
  readonly #version: number;
  readonly #path = Buffer.alloc(PATH_BYTES_MAX);
  #pathLength = 0;
  #idAt = 0;
  #at = HEADER_BYTES;
  #read = 0;

  constructor(bytes: Buffer, objectFormat: "sha1" | "sha256") {
    this.#bytes = bytes;
    this.#idBytes = objectFormat === "sha1" ? 20 : 32;
    this.#version = bytes.readUInt32BE(4);
    this.count = bytes.readUInt32BE(8);
    if (bytes.toString("latin1", 0, 4) !== SIGNATURE || this.#version < 2 || this.#version > 4)
      throw new Error("not an index of a known version");
    const end = bytes.length - this.#idBytes;
    const sum = bytes.subarray(end);
    const isSummed = createHash(objectFormat).update(bytes.subarray(0, end)).digest().equals(sum);
    // Git may be set up to write none.
    if (!isSummed && sum.some((byte) => byte !== 0)) throw new Error("the index is damaged");
  }

  /** Goes on to the next entry; false after the last one. */
  next(): boolean {
    if (this.#read === this.count) {
      this.#refuseUnknownParts();
      return false;
    }
    this.#read += 1;
    const bytes = this.#bytes;
    const start = this.#at;
    this.mode = bytes.readUInt32BE(start + MODE_AT);
    this.size = bytes.readUInt32BE(start + SIZE_AT);
    this.#idAt = start + ID_AT;
    let at = this.#idAt + this.#idBytes;
    const flags = bytes.readUInt16BE(at);
    at += 2;
    const isExtended = (flags & EXTENDED) !== 0;
    const more = isExtended ? bytes.readUInt16BE(at) : 0;
    if (isExtended) at += 2;
    this.isPlain = (flags & ASSUME_VALID) === 0 && (more & SKIP_WORKTREE) === 0;
    this.isMerged = (flags & STAGE) === 0;
    this.isIntentToAdd = (more & INTENT_TO_ADD) !== 0;
    let kept = 0;
    if (this.#version === 4) {
      // How many bytes of the path before are not of this one.
      let byte = bytes.readUInt8(at++);
      let dropped = byte & 0x7f;
      while ((byte & 0x80) !== 0) {
        byte = bytes.readUInt8(at++);
        dropped = (dropped + 1) * 128 + (byte & 0x7f);
      }
      kept = this.#pathLength - dropped;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0 || kept < 0 || kept + end - at > PATH_BYTES_MAX) throw new Error("a path that does not end");
    bytes.copy(this.#path, kept, at, end);
    this.#pathLength = kept + end - at;
    this.#at =
      this.#version === 4 ? end + 1 : start + (Math.floor((end - start) / ENTRY_ALIGNMENT) + 1) * ENTRY_ALIGNMENT;
    return true;
  }

  get path(): RawPath {
    return this.#path.toString("latin1", 0, this.#pathLength) as RawPath;
  }

  get id(): string {
    return this.#bytes.toString("hex", this.#idAt, this.#idAt + this.#idBytes);
  }

  get isAttributesFile(): boolean {
    const start = this.#pathLength - ATTRIBUTES_NAME.length;
    if (start < 0 || (start > 0 && this.#path[start - 1] !== 0x2f)) return false;
    return this.#path.toString("latin1", start, this.#pathLength) === ATTRIBUTES_NAME;
  }

  /** Writes the id as hexadecimal digits; gives the place behind them. */
  writeId(to: Buffer, at: number): number {
    let place = at;
    for (let index = 0; index < this.#idBytes; index++) {
      const byte = this.#bytes[this.#idAt + index] ?? 0;
      to[place++] = DIGITS[byte >> 4] ?? 0;
      to[place++] = DIGITS[byte & 0xf] ?? 0;
    }
    return place;
  }

  /** Parts that may be skipped begin with a capital letter. Another one changes what the entries mean. */
  #refuseUnknownParts(): void {
    const end = this.#bytes.length - this.#idBytes;
    while (this.#at < end) {
      const name = this.#bytes.toString("latin1", this.#at, this.#at + 4);
      if (!/^[A-Z]/.test(name)) throw new Error(`the index has a part ${JSON.stringify(name)}`);
      this.#at += 8 + this.#bytes.readUInt32BE(this.#at + 4);
    }
    if (this.#at !== end) throw new Error("the index does not end where it should");
  }
}

const DIGITS = Buffer.from("0123456789abcdef");
