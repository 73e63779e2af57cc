export const IMPORT_BYTES_MAX = 128 * 1024 * 1024;

/** Said by the page before it sends, since browsers lose the answer to what a server does not read to its end. */
export const IMPORT_TOO_LARGE =
  "The file exceeds the limit of 128 MiB. To move all sessions, use liminal backup here and liminal restore on the other machine.";
