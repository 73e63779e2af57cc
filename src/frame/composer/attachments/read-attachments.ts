import { base64Bytes } from "../../../protocol/attachments.ts";
import type { Part } from "../../../protocol/entry.ts";
import type { PromptAbilities } from "../../../protocol/session-parts.ts";
import { judgeFile } from "./judge-file.ts";

interface Around {
  readonly abilities: PromptAbilities | undefined;
  readonly agentName: string;
  readonly attached: readonly Part[];
}

interface Read {
  readonly parts: readonly Part[];
  /** What could not be attached, and why. */
  readonly refused: readonly string[];
}

/** Files as what goes to the agent; one that cannot go leaves the others alone. */
export async function readAttachments(files: readonly File[], around: Around): Promise<Read> {
  const parts: Part[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const attached = [...around.attached, ...parts];
    const bytes = attached.reduce((sum, part) => sum + bytesOf(part), 0);
    const verdict = judgeFile(file, { ...around, count: attached.length, bytes });
    const part = verdict.as === "refused" ? verdict.words : await readFile(file, verdict.as);
    if (typeof part === "string") refused.push(part);
    else parts.push(part);
  }
  return { parts, refused };
}

async function readFile(file: File, as: "image" | "audio" | "text"): Promise<Part | string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (as === "image") return { type: "image", mimeType: file.type, data: toBase64(bytes), name: file.name };
  if (as === "audio") return { type: "audio", mimeType: file.type, data: toBase64(bytes) };
  const text = textOf(bytes);
  if (text === null)
    return `${file.name} was not attached: it is neither text nor an image. Type @ to name a file of the project.`;
  const mimeType = file.type === "" ? {} : { mimeType: file.type };
  return { type: "resource", uri: `attachment:///${encodeURIComponent(file.name)}`, ...mimeType, text };
}

/** Null when the bytes are no text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const CHUNK_BYTES = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(binary);
}

function bytesOf(part: Part): number {
  if (part.type === "image" || part.type === "audio") return base64Bytes(part.data);
  return part.type === "resource" ? (part.text?.length ?? 0) : 0;
}
