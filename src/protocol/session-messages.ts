import { z } from "zod/mini";
import { ChangesState } from "./changes.ts";
import { SessionOrigin } from "./conversations.ts";
import { Entry, Part } from "./entry.ts";
import { EntryId, ProjectId, SessionId } from "./ids.ts";
import { SessionFields } from "./session-schema.ts";

export const AgentStatus = z.enum(["idle", "starting", "connected", "disconnected", "reconnecting"]);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** What a follower needs besides the entries to restore the session's state. */
const standing = {
  sessionId: SessionId,
  ...SessionFields.shape,
  draft: z.optional(z.string()),
  draftAttachments: z.optional(z.array(Part)),
};

/** A message of the server that is no fact. */
export const message = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), requestId: z.optional(z.string()), ...shape });

export const SessionHistory = message("session:history", {
  ...standing,
  /** The session whose conversation it started with. */
  origin: z.optional(SessionOrigin),
  entries: z.array(Entry),
  hasMore: z.boolean(),
});
export type SessionHistory = z.infer<typeof SessionHistory>;
export const SessionResumed = message("session:resumed", standing);
export type SessionResumed = z.infer<typeof SessionResumed>;
export const SessionPage = message("session:page", {
  sessionId: SessionId,
  before: EntryId,
  entries: z.array(Entry),
  hasMore: z.boolean(),
});
export type SessionPage = z.infer<typeof SessionPage>;

/** Answers `files:search`; `isPartial` when the directory holds more files than are looked at. */
export const FilesFound = message("files:found", {
  sessionId: z.optional(SessionId),
  projectId: z.optional(ProjectId),
  query: z.string(),
  files: z.array(z.object({ path: z.string(), uri: z.string() })),
  isPartial: z.boolean(),
});
export type FilesFound = z.infer<typeof FilesFound>;

/** Answers `changes:open` and `changes:decide`; also comes whenever it changes. */
export const ChangesStateMessage = message("changes:state", { sessionId: SessionId, ...ChangesState.shape });
export type ChangesStateMessage = z.infer<typeof ChangesStateMessage>;
