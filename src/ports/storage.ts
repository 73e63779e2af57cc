import type { Refusal } from "../protocol/errors.ts";

/** What sessions know of the disk. */
export interface Storage {
  /**
   * Null when something can be stored; else what whoever asks for it is told. Where the last write failed, another one is
   * tried first, so that the first command after the end of the trouble is not refused.
   */
  refusal(): Refusal | null;
}
