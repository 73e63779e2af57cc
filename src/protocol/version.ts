/** Incremented when clients of the previous version can no longer follow. */
export const PROTOCOL_VERSION = 1;
