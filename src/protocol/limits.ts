/** Limits and texts that both sides of the wire must agree on. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;
export const PROMPT_CHARS_MAX = 1_000_000;
export const ATTACHMENTS_MAX = 20;
/** One image, audio clip or file; decoded size. Models accept little more than this. */
export const ATTACHMENT_BYTES_MAX = 5 * 1024 * 1024;
/** All attachments of one message: encoded, and with the longest text, it still fits one frame. */
export const MESSAGE_ATTACHMENT_BYTES_MAX = 8 * 1024 * 1024;
/** All attachments in one queue: it is stored and sent in full with every change. */
export const QUEUE_ATTACHMENT_BYTES_MAX = 16 * 1024 * 1024;
export const FILE_QUERY_CHARS_MAX = 200;
export const FILES_FOUND_DEFAULT = 20;
export const FILES_FOUND_MAX = 100;
export const DRAFT_CHARS_MAX = 1_000_000;
export const LABELS_MAX = 8;
export const LABEL_CHARS_MAX = 32;
export const TITLE_CHARS_MAX = 200;
/** The reason of a denial: a line or two. */
export const REASON_CHARS_MAX = 10_000;
export const PATH_CHARS_MAX = 4_096;
export const QUEUE_ITEMS_MAX = 100;
export const PAGE_ENTRIES_DEFAULT = 200;
export const PAGE_ENTRIES_MAX = 1_000;
/** Of a long output, per answer. */
export const OUTPUT_PIECE_CHARS_MAX = 1024 * 1024;
export const IMPORT_SESSIONS_MAX = 5_000;

export const IMPORT_BYTES_MAX = 128 * 1024 * 1024;

/** An agent's id of a model. */
export const MODEL_ID_CHARS_MAX = 1_000;
/** Of one agent. */
export const MODEL_FAVOURITES_MAX = 100;

/**
 * Shown by the page before it sends, because browsers lose the answer to a request that a server does not read to its
 * end.
 */
export const IMPORT_TOO_LARGE =
  "The file exceeds the limit of 128 MiB. To move all sessions, use liminal backup here and liminal restore on the other machine.";

/** Types that can be attached: those that every multimodal model reads, and none that can contain a script. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const AUDIO_TYPES: readonly string[] = ["audio/wav", "audio/mpeg", "audio/ogg", "audio/webm", "audio/mp4"];

/** How many bytes a base64 text stands for. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** The text that confirms deleting everything: requested by the page, required by the server. */
export const CONFIRM_WORDS = "delete everything";

/** Kept of the output of one terminal, for clients that come later. */
export const TERMINAL_KEPT_BYTES_MAX = 1024 * 1024;
/** Sent to a client beyond what it has acknowledged. */
export const TERMINAL_CREDIT_BYTES = 256 * 1024;
export const PROJECT_TERMINALS_MAX = 50;
export const SERVICES_MAX = 20;
