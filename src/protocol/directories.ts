import { z } from "zod/mini";

/** In one answer; whoever has more of them types one more letter. */
export const DIRECTORIES_LISTED_MAX = 100;

/** A directory that what was typed could become. Files are never named. */
export const DirectoryEntry = z.object({
  name: z.string(),
  /** Where it leads, when it is a link. */
  linkTo: z.optional(z.string()),
  isRepository: z.optional(z.boolean()),
  /** It is there, but nobody may look into it. */
  isUnreadable: z.optional(z.boolean()),
});
export type DirectoryEntry = z.infer<typeof DirectoryEntry>;

export const directoriesFields = {
  /** As it was asked for. */
  path: z.string(),
  /** The part of it that the names below are put behind. */
  base: z.string(),
  entries: z.array(DirectoryEntry),
  hasMore: z.boolean(),
  /** Why the path as it stands could not be added as a project. */
  problem: z.optional(z.string()),
};
const Directories = z.object(directoriesFields);
export type Directories = z.infer<typeof Directories>;
