import type { Part } from "../../protocol/entry.ts";

const ATTACHED = /^attachment:\/\/\//;

/** The name of an attachment, also for screen readers. */
export function attachmentName(part: Part): string {
  switch (part.type) {
    case "image":
      return part.name ?? part.uri ?? "Image";
    case "audio":
      return "Audio";
    case "link":
      return part.title ?? part.name;
    case "resource":
      return ATTACHED.test(part.uri) ? decoded(part.uri.replace(ATTACHED, "")) : part.uri;
    default:
      return "Text";
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
