import type { ProjectId, SessionId } from "../../../protocol/ids.ts";

/** Which question stands before the page; each carries only what it asks about. */
export type ShellDialog =
  | { readonly kind: "none" }
  /** `onAdded` goes on with what the user wanted when there was no project yet. */
  | { readonly kind: "add-project"; readonly onAdded?: (projectId: ProjectId) => void }
  | { readonly kind: "new-session"; readonly projectId: ProjectId }
  | { readonly kind: "remove-project"; readonly projectId: ProjectId }
  | { readonly kind: "archive"; readonly sessionId: SessionId };

export const NO_DIALOG: ShellDialog = { kind: "none" };
