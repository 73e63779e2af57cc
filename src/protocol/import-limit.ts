export const IMPORT_BYTES_MAX = 128 * 1024 * 1024;

/** Said by the page before it sends, since browsers lose the answer to what a server does not read to its end. */
export const IMPORT_TOO_LARGE =
  "The file is larger than 128 MiB, which is the limit. To move all sessions, of any size: liminal backup, and liminal restore on the other side.";
