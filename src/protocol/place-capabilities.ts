import { splitPlace } from "./place-path.ts";

/**
 * What can be done in a directory besides running an agent there. `handback`: its conversation continues in a
 * terminal. `import`: conversations that an agent has there are listed.
 */
export type PlaceCapability = "files" | "changes" | "worktrees" | "terminals" | "services" | "handback" | "import";

/** What works over the contract at other machines. The page offers, and the server refuses, by this list alone. */
const AT_PLACES: ReadonlySet<PlaceCapability> = new Set(["files", "changes", "worktrees", "terminals", "services"]);

/** Whether it works in this directory, which may be at another machine (`build-1:/home/me/app`). */
export function canAt(directory: string, capability: PlaceCapability): boolean {
  return splitPlace(directory) === null || AT_PLACES.has(capability);
}
