import { z } from "zod";

/** Bytes as text with one character for each, so that inputs can be stored, shrunk and read. */
export const ByteText = z.string().refine((text) => text === asBytes(text));

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

/** A text as the bytes of its UTF-8. */
export function byteText(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Characters that are no byte become some byte. */
export function asBytes(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
