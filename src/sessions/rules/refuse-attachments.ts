import type { Part } from "../../protocol/entry.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import {
  ATTACHMENT_BYTES_MAX,
  AUDIO_TYPES,
  base64Bytes,
  IMAGE_TYPES,
  MESSAGE_ATTACHMENT_BYTES_MAX,
  PATH_CHARS_MAX,
  QUEUE_ATTACHMENT_BYTES_MAX,
} from "../../protocol/limits.ts";
import { mentionedSession } from "../../protocol/session-mention.ts";
import type { PromptAbilities, QueueItem } from "../../protocol/session-parts.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const LINKED = /^(file|https?):\/\//i;

/** Why these must not be sent to the agent, or null. Pure: unstated abilities count as allowed. */
export function refuseAttachments(parts: readonly Part[], abilities: PromptAbilities | undefined): Refusal | null {
  for (const part of parts) {
    const reason = reasonAgainst(part) ?? reasonOfAgent(part, abilities);
    if (reason !== null) return REFUSE.invalidMessage(`attachments: ${reason}`);
    if (bytesOf(part) > ATTACHMENT_BYTES_MAX)
      return REFUSE.limitExceeded("bytes in one attachment", ATTACHMENT_BYTES_MAX);
  }
  return sum(parts) > MESSAGE_ATTACHMENT_BYTES_MAX
    ? REFUSE.limitExceeded("bytes attached to one message", MESSAGE_ATTACHMENT_BYTES_MAX)
    : null;
}

/** Queued messages are stored and sent in full with every change of the queue. */
export function refuseQueue(items: readonly QueueItem[]): Refusal | null {
  const bytes = items.reduce((total, { attachments = [] }) => total + sum(attachments), 0);
  return bytes > QUEUE_ATTACHMENT_BYTES_MAX
    ? REFUSE.limitExceeded("bytes attached to queued messages", QUEUE_ATTACHMENT_BYTES_MAX)
    : null;
}

function reasonAgainst(part: Part): string | null {
  switch (part.type) {
    case "text":
      return null;
    case "image":
      return reasonOfData("an image", IMAGE_TYPES, part);
    case "audio":
      return reasonOfData("audio", AUDIO_TYPES, part);
    case "link":
      if (!LINKED.test(part.uri) && mentionedSession(part.uri) === null)
        return "a link must start with file://, http:// or https://";
      return part.uri.length > PATH_CHARS_MAX ? "the link is too long" : null;
    case "resource":
      if (part.text === undefined && (part.blob === undefined || !isBase64(part.blob)))
        return "a file needs its text, or its bytes as base64; attach a link instead";
      return part.uri === "" || part.uri.length > PATH_CHARS_MAX ? "the file's name is empty or too long" : null;
    case "diff":
    case "terminal":
    case "unknown":
      return `${part.type} cannot be attached to a message`;
    default:
      return part satisfies never;
  }
}

function reasonOfData(
  what: string,
  types: readonly string[],
  { mimeType, data }: { mimeType: string; data: string },
): string | null {
  if (!types.includes(mimeType)) return `${what} must be one of ${types.join(", ")}, not ${mimeType.slice(0, 100)}`;
  return isBase64(data) ? null : `${what} must be base64`;
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && BASE64.test(data);
}

function reasonOfAgent({ type }: Part, abilities: PromptAbilities | undefined): string | null {
  if (abilities === undefined) return null;
  if (type === "image" && !abilities.image) return "this agent does not accept images";
  if (type === "audio" && !abilities.audio) return "this agent does not accept audio";
  return type === "resource" && !abilities.embeddedContext ? "this agent accepts files only as links" : null;
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, part) => total + bytesOf(part), 0);
}

function bytesOf(part: Part): number {
  if (part.type === "image" || part.type === "audio") return base64Bytes(part.data);
  if (part.type === "resource" && part.blob !== undefined) return base64Bytes(part.blob);
  return "text" in part && part.text !== undefined ? Buffer.byteLength(part.text) : 0;
}
