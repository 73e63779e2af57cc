/** Raised when a client of the previous version could no longer follow. */
export const PROTOCOL_VERSION = 1;
