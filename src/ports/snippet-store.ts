import type { Snippet, SnippetId } from "../protocol/snippets.ts";

/** The user's snippets. */
export interface SnippetStore {
  /** By name. */
  list(): Promise<readonly Snippet[]>;
  /** Adds it, or replaces the one with its id. */
  put(snippet: Snippet): Promise<void>;
  /** False when there was none. */
  remove(id: SnippetId): Promise<boolean>;
}
