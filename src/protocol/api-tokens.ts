import { z } from "zod/mini";
import { ProjectId } from "./ids.ts";
import { PersonId } from "./person-ref.ts";

export const API_TOKENS_MAX = 100;
export const API_TOKEN_NAME_CHARS_MAX = 60;

/** What a program may do: read, also act in sessions, or everything the user may. Each includes the one before it. */
export const ApiScope = z.enum(["read", "act", "admin"]);
export type ApiScope = z.infer<typeof ApiScope>;
export const API_SCOPES = ApiScope.options;

export function includesScope(has: ApiScope, needs: ApiScope): boolean {
  return API_SCOPES.indexOf(has) >= API_SCOPES.indexOf(needs);
}

/** A token as it is listed: never its secret. */
export const ShownApiToken = z.object({
  id: z.string(),
  name: z.string(),
  scope: ApiScope,
  /** Only this project; absent: all. */
  projectId: z.optional(ProjectId),
  createdAt: z.string(),
  lastUsedAt: z.optional(z.string()),
  /** The person it belongs to, if that is not the owner. */
  personId: z.optional(PersonId),
});
export type ShownApiToken = z.infer<typeof ShownApiToken>;

export const NewApiToken = z.strictObject({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(API_TOKEN_NAME_CHARS_MAX)),
  scope: ApiScope,
  projectId: z.optional(ProjectId),
});
export type NewApiToken = z.infer<typeof NewApiToken>;

export const ApiTokenList = z.object({ tokens: z.array(ShownApiToken) });
/** `secret`: what a program sends as `Authorization: Bearer …`. It is returned only this once. */
export const CreatedApiToken = z.object({ token: ShownApiToken, secret: z.string() });
export type CreatedApiToken = z.infer<typeof CreatedApiToken>;
export const RevokedApiToken = z.object({ revoked: z.string() });
