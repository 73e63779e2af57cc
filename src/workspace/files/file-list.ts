/** What one directory is listed within; whatever lies beyond is left out, and the list says so. */
export interface ListLimits {
  readonly filesMax: number;
  readonly durationMsMax: number;
}

export interface FileList {
  /** Relative to the root, with forward slashes. */
  readonly paths: readonly string[];
  /** There is more than was listed. */
  readonly isPartial: boolean;
}
