/** Limits both sides of the wire must agree on. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;
export const PROMPT_CHARS_MAX = 1_000_000;
export const ATTACHMENTS_MAX = 20;
export const DRAFT_CHARS_MAX = 1_000_000;
export const TITLE_CHARS_MAX = 200;
export const PATH_CHARS_MAX = 4_096;
export const QUEUE_ITEMS_MAX = 100;
export const PAGE_ENTRIES_DEFAULT = 200;
export const PAGE_ENTRIES_MAX = 1_000;
/** Of a long output, in one answer. */
export const OUTPUT_PIECE_CHARS_MAX = 1024 * 1024;
