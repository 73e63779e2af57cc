import type { LineDiff } from "../../presentation/line-diff.ts";
import type { CodeToken } from "../../presentation/tokenize-code.ts";

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
  readonly firstLine: number | undefined;
}

export interface DiffReply {
  readonly id: number;
  readonly diff: LineDiff;
}
