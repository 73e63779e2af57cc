import type { ContentBlock } from "@agentclientprotocol/sdk";
import { imageSize } from "./image-size.ts";

/** What came with a message besides its words, so that everyone can see what was delivered. */
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
