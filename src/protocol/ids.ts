import { z } from "zod";

const ID_CHARS_MAX = 200;

/** Which agent: the id in the catalog, for example `builtin` or `claude-code`. */
export const CliType = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9-]*$/)
  .brand<"CliType">();
export type CliType = z.infer<typeof CliType>;

/** `<cliType>:<id>`, split at the first colon; ours, opaque, and unique for ever. */
export const SessionId = z
  .string()
  .max(ID_CHARS_MAX)
  .regex(/^[a-z][a-z0-9-]*:.+$/)
  .brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;

export const ProjectId = z.string().min(1).max(ID_CHARS_MAX).brand<"ProjectId">();
export type ProjectId = z.infer<typeof ProjectId>;

/** Chosen by whoever sends a command; the same one again gets the first outcome. */
export const CommandId = z.string().min(1).max(64).brand<"CommandId">();
export type CommandId = z.infer<typeof CommandId>;

export const TurnId = z.string().min(1).max(ID_CHARS_MAX).brand<"TurnId">();
export type TurnId = z.infer<typeof TurnId>;

export const EntryId = z.string().min(1).max(ID_CHARS_MAX).brand<"EntryId">();
export type EntryId = z.infer<typeof EntryId>;

export const PermissionId = z.string().min(1).max(ID_CHARS_MAX).brand<"PermissionId">();
export type PermissionId = z.infer<typeof PermissionId>;

/** The agent a session belongs to is written into its id. */
export function cliTypeOf(sessionId: SessionId): CliType {
  return CliType.parse(sessionId.slice(0, sessionId.indexOf(":")));
}
