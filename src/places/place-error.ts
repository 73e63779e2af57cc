/** A place cannot be used: one sentence says why, and how to fix it. */
export class PlaceError extends Error {
  override readonly name = "PlaceError";
  /** Trying again would not help. */
  readonly isFinal: boolean;
  /** Our program is not there. */
  readonly isMissing: boolean;
  /** It was connected: what was asked may have been done. */
  readonly isLost: boolean;
  /** Its pod is not there, and nobody who may make one has asked for it. */
  readonly isGone: boolean;

  constructor(message: string, { isFinal = false, isMissing = false, isLost = false, isGone = false } = {}) {
    super(message);
    this.isFinal = isFinal;
    this.isMissing = isMissing;
    this.isLost = isLost;
    this.isGone = isGone;
  }
}
