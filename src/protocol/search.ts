import { z } from "zod/mini";
import { ENTRY_TYPES } from "./entry.ts";
import { CliType, EntryId, ProjectId, SessionId } from "./ids.ts";

export const SEARCH_QUERY_CHARS_MAX = 20_000;
export const SEARCH_HITS_DEFAULT = 50;
export const SEARCH_HITS_MAX = 200;
const SEARCH_PATH_CHARS_MAX = 4_096;
const SEARCH_TIME_CHARS_MAX = 40;

/** What was found: a session's title, or an entry of this kind. */
export const SearchKind = z.enum(["title", ...ENTRY_TYPES]);
export type SearchKind = z.infer<typeof SearchKind>;

const time = z.string().check(
  z.maxLength(SEARCH_TIME_CHARS_MAX),
  z.refine((text) => !Number.isNaN(Date.parse(text)), "not a time"),
);

/** All words have to occur, the last one may be incomplete, and quoted text is matched exactly. */
export const searchFields = {
  query: z.string().check(z.maxLength(SEARCH_QUERY_CHARS_MAX)),
  projectId: z.optional(ProjectId),
  cliType: z.optional(CliType),
  kinds: z.optional(z.array(SearchKind).check(z.maxLength(SearchKind.options.length))),
  /** The first and the last moment; a plain date as `to` means the whole of that day. */
  from: z.optional(time),
  to: z.optional(time),
  /** Only sessions that touched a file whose path contains this; without words, the entries that did. */
  path: z.optional(z.string().check(z.minLength(1), z.maxLength(SEARCH_PATH_CHARS_MAX))),
  includeArchived: z.optional(z.boolean()),
  limit: z.optional(z.int().check(z.gte(1), z.lte(SEARCH_HITS_MAX))),
};

const SearchRequest = z.object(searchFields);
export type SearchRequest = z.infer<typeof SearchRequest>;

/** A piece of the text around a hit; `hit` marks the match. Plain text, never markup. */
export const SnippetPiece = z.object({ text: z.string(), hit: z.boolean() });
export type SnippetPiece = z.infer<typeof SnippetPiece>;

export const SearchHit = z.object({
  sessionId: SessionId,
  projectId: ProjectId,
  title: z.string(),
  cliType: CliType,
  archived: z.boolean(),
  /** Absent if the title itself matched. */
  entryId: z.optional(EntryId),
  kind: SearchKind,
  timestamp: z.optional(z.string()),
  snippet: z.array(SnippetPiece),
});
export type SearchHit = z.infer<typeof SearchHit>;
