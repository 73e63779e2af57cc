import type { Part } from "../../protocol/entry.ts";
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENTS_MAX,
  AUDIO_TYPES,
  base64Bytes,
  IMAGE_TYPES,
  MESSAGE_ATTACHMENT_BYTES_MAX,
} from "../../protocol/limits.ts";
import type { PromptAbilities } from "../../protocol/session-parts.ts";
import type { PortletStore } from "../portlet-store.ts";

interface Around {
  readonly abilities: PromptAbilities | undefined;
  readonly agentName: string;
  readonly attached: readonly Part[];
}

interface Read {
  readonly parts: readonly Part[];
  /** Files that could not be attached, and why. */
  readonly refused: readonly string[];
}

/** Converts files to parts for the agent; one that cannot be sent does not affect the others. */
async function readAttachments(files: readonly File[], around: Around): Promise<Read> {
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
    return `${file.name} was not attached: it is neither text nor an image. Type @ to mention a project file.`;
  const mimeType = file.type === "" ? {} : { mimeType: file.type };
  return { type: "resource", uri: `attachment:///${encodeURIComponent(file.name)}`, ...mimeType, text };
}

/** Null if the bytes are not text. */
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

export function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

/** Attaches files that were pasted, dropped or chosen, and shows an error for those that cannot be attached. */
export function takeFiles(store: PortletStore, files: readonly File[]): void {
  attach(store, files).catch(() =>
    showError(store, "Could not read the file. Check that it still exists and try again."),
  );
}

async function attach(store: PortletStore, files: readonly File[]): Promise<void> {
  const { session, agentName } = store.state;
  const around = { abilities: session.config.abilities, agentName, attached: store.composer.attachments };
  const { parts, refused } = await readAttachments(files, around);
  if (parts.length > 0) store.change({ type: "attached", parts });
  if (refused.length > 0) showError(store, refused.join("\n"));
}

function showError(store: PortletStore, message: string): void {
  store.change({ type: "refused", message });
}

const MEBIBYTE = 1024 * 1024;

interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

interface Surroundings {
  readonly abilities: PromptAbilities | undefined;
  readonly agentName: string;
  /** Already attached parts. */
  readonly count: number;
  readonly bytes: number;
}

type FileVerdict = { readonly as: "image" | "audio" | "text" } | { readonly as: "refused"; readonly words: string };

/** How a file can be sent to the agent, or why it cannot. Pure. */
export function judgeFile({ name, type, size }: GivenFile, around: Surroundings): FileVerdict {
  const refuse = (words: string): FileVerdict => ({ as: "refused", words: `${name} was not attached: ${words}` });
  const { abilities, agentName } = around;
  if (around.count >= ATTACHMENTS_MAX)
    return refuse(`a message can have at most ${ATTACHMENTS_MAX} attachments. Remove one first.`);
  if (size > ATTACHMENT_BYTES_MAX)
    return refuse(`it is ${megabytes(size)}; the limit is ${megabytes(ATTACHMENT_BYTES_MAX)}. Attach a smaller file.`);
  if (around.bytes + size > MESSAGE_ATTACHMENT_BYTES_MAX)
    return refuse(
      `attachments of a message can total ${megabytes(MESSAGE_ATTACHMENT_BYTES_MAX)}. Send the rest in another message.`,
    );
  if (IMAGE_TYPES.includes(type))
    return abilities?.image === false ? refuse(`${agentName} does not accept images.`) : { as: "image" };
  if (AUDIO_TYPES.includes(type))
    return abilities?.audio === false ? refuse(`${agentName} does not accept audio.`) : { as: "audio" };
  if (/^(?:image(?!\/svg)|audio|video)\//.test(type))
    return refuse("unsupported format. Use PNG, JPEG, GIF or WebP for images.");
  return abilities?.embeddedContext === false
    ? refuse(`${agentName} accepts files only by name. Type @ to mention a project file.`)
    : { as: "text" };
}

function megabytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(bytes % MEBIBYTE === 0 ? 0 : 1)} MB`;
}
