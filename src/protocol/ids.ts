import { z } from "zod/mini";

const ID_CHARS_MAX = 200;

/** The agent's id in the catalog, for example `builtin` or `claude-code`. */
export const CliType = z
  .string()
  .check(z.maxLength(64), z.regex(/^[a-z][a-z0-9-]*$/))
  .brand<"CliType">();
export type CliType = z.infer<typeof CliType>;

/** `<cliType>:<id>`, split at the first colon; ours, opaque, and never reused. */
export const SessionId = z
  .string()
  .check(z.maxLength(ID_CHARS_MAX), z.regex(/^[a-z][a-z0-9-]*:.+$/))
  .brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;

/** An external program by its own name; never a session's id. */
export const Program = z.string().check(z.maxLength(ID_CHARS_MAX), z.regex(/^@.+$/)).brand<"Program">();
export type Program = z.infer<typeof Program>;

export const ProjectId = z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)).brand<"ProjectId">();
export type ProjectId = z.infer<typeof ProjectId>;

/** Chosen by the sender of a command; a repetition gets the first outcome. */
export const CommandId = z.string().check(z.minLength(1), z.maxLength(64)).brand<"CommandId">();
export type CommandId = z.infer<typeof CommandId>;

export const TurnId = z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)).brand<"TurnId">();
export type TurnId = z.infer<typeof TurnId>;

export const EntryId = z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)).brand<"EntryId">();
export type EntryId = z.infer<typeof EntryId>;

export const PermissionId = z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)).brand<"PermissionId">();
export type PermissionId = z.infer<typeof PermissionId>;

export const ElicitationId = z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)).brand<"ElicitationId">();
export type ElicitationId = z.infer<typeof ElicitationId>;

/** The position of a fact in its session's log. Increases and never repeats. */
export const Seq = z.int().check(z.nonnegative());

/** The agent of a session is part of its id. */
export function cliTypeOf(sessionId: SessionId): CliType {
  return CliType.parse(sessionId.slice(0, sessionId.indexOf(":")));
}
