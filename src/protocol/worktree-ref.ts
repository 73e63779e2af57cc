import { z } from "zod/mini";

/** With its place before it, as in `build-1:0192…`: each machine names its own, and none can name those of another. */
export const WorktreeId = z
  .string()
  .check(z.regex(/^(?:[a-z0-9][a-z0-9-]{1,31}:)?[a-z0-9-]{1,64}$/))
  .brand<"WorktreeId">();
export type WorktreeId = z.infer<typeof WorktreeId>;

/** Where a worktree is: the name of a place, or null for the server's own machine. */
export function placeOfWorktree(worktreeId: WorktreeId): string | null {
  const at = worktreeId.indexOf(":");
  return at === -1 ? null : worktreeId.slice(0, at);
}

/** Of a session that works in a worktree. */
export const SessionWorktree = z.object({ worktreeId: WorktreeId, name: z.string(), branch: z.string() });
export type SessionWorktree = z.infer<typeof SessionWorktree>;
