import { z } from "zod/mini";

/** Per answer; with more, the user types another letter. */
export const DIRECTORIES_LISTED_MAX = 100;

/** A directory that the typed path could become. Files are never named. */
export const DirectoryEntry = z.object({
  name: z.string(),
  /** Its target, if it is a link. */
  linkTo: z.optional(z.string()),
  isRepository: z.optional(z.boolean()),
  /** It exists, but is not readable. */
  isUnreadable: z.optional(z.boolean()),
});
export type DirectoryEntry = z.infer<typeof DirectoryEntry>;

export const directoriesFields = {
  /** As requested. */
  path: z.string(),
  /** The part of it that precedes the names below. */
  base: z.string(),
  entries: z.array(DirectoryEntry),
  hasMore: z.boolean(),
  /** Why this path could not be added as a project. */
  problem: z.optional(z.string()),
};
const Directories = z.object(directoriesFields);
export type Directories = z.infer<typeof Directories>;
