import type { Refusal } from "../protocol/errors.ts";

/** Whether data can be stored. */
export interface Storage {
  /**
   * Null when data can be stored; otherwise the reason, for the caller that wanted to store it. Synchronous: it is the
   * result of the last write. A local store retries a write first, so that the first command after the end of the
   * problem is not refused; a remote one returns its current state.
   */
  refusal(): Refusal | null;
}
