import type { ContentBlock } from "@agentclientprotocol/sdk";

/** Describes the attachments of a message, so that everyone can see what was delivered. */
export function describeAttachments(prompt: readonly ContentBlock[]): string[] {
  return prompt.flatMap((block) => describeBlock(block) ?? []);
}

function describeBlock(block: ContentBlock): string | undefined {
  switch (block.type) {
    case "text":
      return undefined;
    case "image":
      return describeImage(block.mimeType, block.data);
    case "audio":
      return `a sound (${block.mimeType}, ${decodedBytes(block.data)} bytes)`;
    case "resource_link":
      return `a link to \`${block.name}\` (${block.uri})`;
    case "resource":
      return "text" in block.resource
        ? `\`${block.resource.uri}\` with ${block.resource.text.length} characters`
        : `\`${block.resource.uri}\` with ${decodedBytes(block.resource.blob)} bytes`;
    default:
      return block satisfies never;
  }
}

function describeImage(mimeType: string, data: string): string {
  const size = imageSize(Buffer.from(data, "base64"));
  const what = size ? `an image of ${size.width} x ${size.height} pixels` : "an image";
  return `${what} (${mimeType}, ${decodedBytes(data)} bytes)`;
}

function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

type Size = { readonly width: number; readonly height: number };

const PNG_HEADER_BYTES = 24;
const GIF_HEADER_BYTES = 10;
/** Segments with the size of a JPEG: SOF0 to SOF15 without three that mean something else. */
const JPEG_FRAMES: ReadonlySet<number> = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf,
]);

/** The size of a PNG, GIF or JPEG; undefined for anything else, and for truncated files. */
function imageSize(bytes: Buffer): Size | undefined {
  if (bytes.length >= PNG_HEADER_BYTES && bytes.toString("latin1", 1, 4) === "PNG")
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length >= GIF_HEADER_BYTES && bytes.toString("latin1", 0, 3) === "GIF")
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpegSize(bytes) : undefined;
}

function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (JPEG_FRAMES.has(bytes[at + 1] ?? 0))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}
