import type { LineDiff } from "../diff/line-diff.ts";

/** A run of code in one colour. Text only: no markup crosses from the worker to the page. */
export interface CodeToken {
  readonly text: string;
  /** A class of the style sheet, or "" for plain text. */
  readonly className: string;
}

export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

export interface HighlightReply {
  readonly id: number;
  readonly tokens: readonly CodeToken[];
}

/** The same worker compares long texts. */
export interface DiffRequest {
  readonly kind: "diff";
  readonly id: number;
  readonly oldText: string | null;
  readonly newText: string;
  readonly firstLine: number;
}

export interface DiffReply {
  readonly id: number;
  readonly diff: LineDiff;
}
